"""The link of Own data: the way something is brought, and which data set is opened."""

from pages.ui.address import Address, one_of
from pages.ui.sessions import own_dataset

WAYS = {
    "file": "A file",
    "paste": "Paste",
    "draw": "Draw",
    "example": "An example",
    "trace": "A trace",
}
"""How something is brought, by what links call it."""

OWN = Address()
WAY = OWN.parameter("from", "file", one_of(list(WAYS)))
OPENED = OWN.parameter("dataset", "", own_dataset, spell=lambda name: name or None)
"""Which data set of this visit is looked at; by default the latest."""
