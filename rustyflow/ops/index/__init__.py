"""Reading and writing where integers, slices, masks and index arrays say."""
