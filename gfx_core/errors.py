"""The error whose message is written for a person and shown to them as it stands."""


class UserError(ValueError):
    """Something the user gave or asked for cannot work; the message says what is wrong and what to do."""
