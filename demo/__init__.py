"""The native stack, two clients that play a match on it, and a transcript of the match: `make run`.

The client modules (`messages`, `match_model`, `sets`, `player`) use only the protocol of `client.proto`
and import neither `set_core` nor `match_handler`, so that they check the rules service independently.
"""
