"""Everything around the pages in the dashboard's process: headers, compression, embedded service, session keys."""
