"""Measurements that people run by hand; a package, lest another one of this name be found first."""
