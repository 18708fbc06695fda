"""The labelled evaluation set of recall and its release gate."""
