"""The native stack, two players on it, and what they see: `make run`.

The players' side (`messages`, `table`, `sets`, `player`) knows the protocol of `client.proto` only
and imports neither `set_core` nor `match_handler`: it is a second opinion on the referee.
"""
