"""Measurements run by hand; a package, so that no other package of this name is found first."""
