"""The labelled evaluation set of recall and its release gate (M-28; seed B §2.3.2.1)."""
