"""A client of the game: Nakama's API and socket, typed messages, a model of the match, and a player.

It uses only the protocol of `client.proto` and imports neither `set_core` nor `match_handler`, so that it
checks the rules service independently.
"""
