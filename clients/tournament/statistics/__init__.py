"""What a tournament says, and how sure it is of it: pure functions of its results."""
