"""Reductions: lanes that become one number each, and gradients that fan out over them."""
