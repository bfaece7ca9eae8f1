"""The addresses of this computer in its own network, found without asking anybody."""

import socket
from collections.abc import Sequence

HERE = ("localhost", "127.0.0.1", "::1")
"""The names of this computer on itself."""
_NOWHERE = "192.0.2.1"  # is reserved for documentation: nobody has it, and nothing is sent there


def addresses() -> list[str]:
    """Its numbers in the networks it is in; the one that others most likely reach comes first."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_NOWHERE, 9))  # sends nothing, but chooses the way that would be taken
            found.append(probe.getsockname()[0])
        except OSError:  # there is no network
            pass
    try:
        known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        known = []
    found += [str(each[4][0]) for each in known]
    return [each for each in dict.fromkeys(found) if not each.startswith("127.")]


def allowed_hosts(more: Sequence[str] = ()) -> list[str]:
    """The names under which those in the room may ask."""
    name = socket.gethostname().lower()
    own = [name, f"{name}.local"] if name and "." not in name else [name]
    return list(dict.fromkeys([*HERE, *addresses(), *own, *more]))
