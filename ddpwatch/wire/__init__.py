"""What travels between ranks and viewers: messages, their bytes, endpoints and keys. No sockets."""
