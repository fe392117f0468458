"""What docs/modes.md has a row or a column for."""

from __future__ import annotations

from typing import Final

MODES: Final = ("ONLINE", "SINGLE_PLAYER", "PASS_AND_PLAY", "DAILY_CHALLENGE")

RULES: Final = {
    "start": "when the first board is dealt",
    "deck": "which shuffle it is dealt from",
    "whole game": "claims to the last Set, and the ranking; every client's own model agrees",
    "timed": "a time limit ends the game",
    "penalty NONE": "an invalid claim costs nothing",
    "penalty POINT": "an invalid claim costs a point, never below 0",
    "penalty TIME": "an invalid claim costs time of one's own clock, which can end the game",
    "tie-breaker": "equal Sets: fewest invalid attempts, if chosen, else a draw",
    "stale claims": "a claim on cards that are gone counts, unless the options say no",
    "hints": "who may ask for a Set",
    "bots": "seats that the service plays",
    "watching": "people without a seat see everything and may do nothing",
    "coming back": "a lost connection keeps seat and score",
    "taking over": "the same user on a second connection plays on, the first watches",
    "staying away": "the end of the reconnect window",
    "leaving": "on purpose: out at once",
    "rematch": "a second and a third game in the same match",
    "record": "one record of each game, which replays to the same results",
    "leaderboards": "what counts where",
    "label": "what a lobby can list and filter by",
}
