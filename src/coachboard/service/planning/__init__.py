"""The planning API: calendars of athletes, read as entries and changed in batches (`docs/planning-api.md`)."""
