"""What the project made itself: the spoken sample, and pictures of the documentation."""
