"""The typed text of a workout: parsed to the structure of the interface, written from it, and summed up."""
