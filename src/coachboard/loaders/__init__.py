"""Data that several pages or the frame read, each as one frozen record; the data of one page is in its folder."""
