"""Looking after a running library: is everything there that should be, and nothing else?"""
