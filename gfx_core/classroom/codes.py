"""The code by which students find a class, and the secrets by which its teacher is known."""

import hashlib
import hmac
import secrets

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Of a code: none that is mistaken for another when it is read from a wall."""
LENGTH = 6
_MISREAD = str.maketrans({"0": "Q", "O": "Q", "1": "J", "I": "J", "L": "J"})
_SEAT_DIGITS = 16


def new_code() -> str:
    """Six letters and digits: short enough to type, too many to guess (887 million)."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def read_code(text: str) -> str | None:
    """The code that somebody typed, with blanks, dashes and small letters as they like; None if it cannot be one."""
    code = "".join(text[:40].split()).replace("-", "").upper().translate(_MISREAD)
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else None


def spell_code(code: str) -> str:
    """A code as it is read aloud: in two halves."""
    return f"{code[: LENGTH // 2]} {code[LENGTH // 2 :]}"


def new_secret() -> str:
    """What a teacher's link carries: 192 random bits."""
    return secrets.token_urlsafe(24)


def screen_key(key: str) -> str:
    """The secret of the beamer's view, from the teacher's: it opens that view alone, and the way back is unknown."""
    return hmac.new(key.encode("utf-8", errors="replace"), b"screen", hashlib.sha256).hexdigest()[:32]


def sealed(secret: str) -> bytes:
    """What is kept of a secret: whoever reads the file cannot make the link from it."""
    return hashlib.sha256(secret.encode("utf-8", errors="replace")).digest()


def opens(secret: str, seal: bytes) -> bool:
    """Whether this is the secret, found in the same time wherever it differs."""
    return hmac.compare_digest(sealed(secret), seal)


def seat_of(seal: bytes, who: str) -> str:
    """The seat of a visitor in a class: always the same there, and another one in every other class.

    Only the server can make it, as only the server has the seal; it tells nothing about anybody.

    Args:
        seal: Of the class's secret.
        who: Names the visitor.
    """
    return hmac.new(seal, f"seat {who}".encode("utf-8", errors="replace"), hashlib.sha256).hexdigest()[:_SEAT_DIGITS]
