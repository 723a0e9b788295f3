"""Orihon: a self-hosted library that fills itself."""

__version__ = "0.1.0"
