"""What a call may be, and what to say when it is not."""
