"""The one door to the network: guarded, paced, capped, and honest about what came back."""
