"""Properties are judged by what they find: on a busy machine a deadline for each example finds the machine."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
