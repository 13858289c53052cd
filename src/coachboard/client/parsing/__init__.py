"""From the bytes of a reply to rows, models and data frames."""
