"""How many files and connections this process may have open: each visitor takes a few, and each worker some more."""

WANTED = 8192
"""So many are plenty, and no system refuses them for being too many."""
_VISIT, _ITSELF = 3, 60  # what a visit takes, for two minutes after it has ended too, and what a server needs anyway


def raise_limit(wanted: int = WANTED) -> str:
    """Allow this process as many as it may allow itself; a sentence on what that means if it is fewer than wanted."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return ""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return ""
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    except (ValueError, OSError):
        pass
    if soft >= wanted:
        return ""
    return (
        f"This server may have only {soft:,} files and connections open, enough for about "
        f"{max(0, soft - _ITSELF) // _VISIT:,} visitors at a time: start it after “ulimit -n {wanted}” for more."
    )
