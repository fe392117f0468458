"""The error for invalid options, and the common form of its messages."""

from typing import Final

_MAX_SHOWN_LENGTH: Final = 64


class OptionsError(ValueError):
    """An invalid option. The message is one line with the field, the value and the allowed values.

    Attributes:
        field: the option's name in JSON, such as `maxPlayers` or `animationMs.refill`.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def require(holds: bool, name: str, value: object, allowed: str) -> None:  # noqa: FBT001 - the condition itself
    """Check a condition for the value of a field.

    Args:
        holds: the condition.
        name: the field's name in snake_case.
        value: the value for the error message.
        allowed: the rest of the error message: the allowed values.

    Raises:
        OptionsError: the condition is false.
    """
    if not holds:
        field = json_name(name)
        raise OptionsError(field, f"{field} is {_shown(value)}: {allowed}")


def require_int(name: str, value: object, low: int, high: int) -> None:
    """Check that a value is an int in the range low..high; a bool is not accepted.

    Raises:
        OptionsError: the value is not such an int.
    """
    require(
        type(value) is int and low <= value <= high, name, value, f"allowed are the integers {low}..{high}"
    )


def json_name(name: str) -> str:
    """Return the lowerCamelCase form of a snake_case name."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _shown(value: object) -> str:
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}..."
