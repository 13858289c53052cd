"""The flag rules: each file has one record `RULE`, which the engine finds by import."""
