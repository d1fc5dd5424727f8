"""What does training need to be watched? One callback: `Trainer(callbacks=[DDPWatch()])`."""

from ddpwatch_lightning.callback import DDPWatch
from ddpwatch_lightning.shadow import Shadow

__all__ = ["DDPWatch", "Shadow"]
