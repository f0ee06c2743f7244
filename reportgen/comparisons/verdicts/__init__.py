"""Who is better at what, in words, and which of the words the tests support."""
