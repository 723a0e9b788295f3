"""Measurements beside peers. `python -m bench [rows...]`."""
