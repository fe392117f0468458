"""The rows (rules) and columns (modes) of the table in docs/modes.md."""

from __future__ import annotations

from typing import Final

MODES: Final = ("ONLINE", "SINGLE_PLAYER", "PASS_AND_PLAY", "DAILY_CHALLENGE")

RULES: Final = {
    "start": "when the first board is dealt",
    "deck": "which shuffle the game uses",
    "whole game": "claims until the last Set, and the ranking; the model of every client agrees",
    "time limit": "a time limit ends the game",
    "penalty NONE": "an invalid claim costs nothing",
    "penalty POINT": "an invalid claim costs a point; the score is never below 0",
    "penalty TIME": "an invalid claim costs time of the player's own clock; an empty clock ends the game",
    "tie-breaker": "equal number of Sets: a draw, or the fewest invalid claims win if the options say so",
    "stale claims": "a stale claim costs the penalty, unless the options say no",
    "hints": "who can request a hint",
    "bots": "seats that the rules service plays",
    "spectators": "connections without a seat receive everything and cannot act",
    "reconnect": "a lost connection keeps its seat and score",
    "second connection": "a second connection of a user gets the seat; the first becomes a spectator",
    "reconnect timeout": "the end of the reconnect window",
    "leave": "an intended leave forfeits immediately",
    "rematch": "a second and a third game in the same match",
    "record": "one record per game; it replays to the same result",
    "leaderboards": "which games count on which leaderboard",
    "label": "what the lobby can list and filter by",
}
