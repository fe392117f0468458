"""How an option is refused: the error, and the wording that all checks share."""

from typing import Final

_LONGEST_SHOWN: Final = 64


class OptionsError(ValueError):
    """An option that cannot be; the message is one line: the field, the value and what is allowed.

    Attributes:
        field: the option's name in JSON, such as `maxPlayers` or `animationMs.refill`.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def require(holds: bool, name: str, value: object, allowed: str) -> None:  # noqa: FBT001 - the condition itself
    """Refuse the value of the field with this snake_case name unless the condition holds.

    Raises:
        OptionsError: it does not hold.
    """
    if not holds:
        field = json_name(name)
        raise OptionsError(field, f"{field} is {_shown(value)}: {allowed}")


def require_int(name: str, value: object, low: int, high: int) -> None:
    """Refuse a value that is not an int in this range; a bool is no int.

    Raises:
        OptionsError: it is not.
    """
    require(
        type(value) is int and low <= value <= high, name, value, f"allowed are the integers {low}..{high}"
    )


def json_name(name: str) -> str:
    """The lowerCamelCase form of a snake_case name."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _shown(value: object) -> str:
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
