"""Where files are."""

import pathlib

#: The folder with the scripts of all peers.
PEERS = pathlib.Path(__file__).resolve().parent.parent
MODELS = PEERS.parent / "models"
