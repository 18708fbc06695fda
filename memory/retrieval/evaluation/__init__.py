"""How well search finds what answers a question, on public data sets and without a model in the loop."""
