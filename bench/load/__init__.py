"""The product under a crowd that talks to it over HTTP, with a stand-in for the model that is as slow as models are."""
