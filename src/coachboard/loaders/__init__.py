"""Load and compute the data of each page as one frozen record: a folder per page, shared code next to them."""
