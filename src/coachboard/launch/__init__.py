"""What stands around the dashboard in its process: headers, compression, the embedded service."""
