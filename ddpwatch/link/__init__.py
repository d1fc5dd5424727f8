"""The sockets: the publisher on each rank, the hub, and what they say to each other."""
