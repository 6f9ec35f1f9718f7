"""show.curve: a function of one number as a line, its slopes by nudges and by backward, and lines that learn."""
