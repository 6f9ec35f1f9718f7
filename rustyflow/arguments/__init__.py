"""The arguments of calls: what they may be, and errors that say what to give instead."""
