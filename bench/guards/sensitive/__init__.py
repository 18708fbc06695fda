"""Labelled texts of the guard against sensitive input, by the voices that wrote them."""
