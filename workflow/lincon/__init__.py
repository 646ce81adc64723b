"""Linearly constrained bandits: data, policies, simulation, statistics and figures."""

__version__ = "0.1.0"
