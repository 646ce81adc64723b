"""The interactive page of a study: one HTML file that opens without a network."""
