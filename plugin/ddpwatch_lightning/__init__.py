"""What does training need to be watched? One callback: `Trainer(callbacks=[DDPWatch()])`."""

from ddpwatch_lightning.callback import DDPWatch

__all__ = ["DDPWatch"]
