"""The parts of every page: the frame around it (sign-in, navigation, notices, formats) and widgets with their scripts."""
