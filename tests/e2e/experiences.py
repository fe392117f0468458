"""Public reports of faults in other servers of the game and of problems with Nakama; each has a test here."""

from __future__ import annotations

from typing import Final, NamedTuple

GAME: Final = "https://github.com/ekzhang/setwithfriends"
FORK: Final = "https://github.com/eltoder/setwithfriends"
NAKAMA: Final = "https://github.com/heroiclabs/nakama"
TEMPLATE: Final = "https://github.com/heroiclabs/nakama-project-template"


class Experience(NamedTuple):
    """A report.

    Attributes:
        what: What went wrong.
        source: The address of the report; empty for a fault that was found in source code.
        here: What this project does instead.
    """

    what: str
    source: str
    here: str


FAULTS: Final = {
    "F1": Experience(
        "two players were credited with one Set", f"{GAME}/issues/2", "one point, the other is STALE"
    ),
    "F2": Experience(
        "the last Sets, claimed at the same time, left a game that never ended",
        f"{GAME}/issues/13",
        "the game ends once, in that tick",
    ),
    "F3": Experience(
        "claims on undealt cards scored", f"{GAME}/pull/186", "STALE; the answer does not reveal the card"
    ),
    "F4": Experience(
        "claims on cards that are not on the board, or on one card three times, scored",
        f"{GAME}/pull/186",
        "STALE or MALFORMED",
    ),
    "F5": Experience(
        "a game with spectators only never ended", f"{GAME}/issues/160", "the server ends the game"
    ),
    "F6": Experience(
        "results were written twice or not at all", f"{FORK}/issues/5", "written once, also after an outage"
    ),
    "F7": Experience(
        "late calls on a finished game failed with internal errors",
        f"{GAME}/pull/138",
        "the same answer again, or a specific code",
    ),
    "F8": Experience(
        "the end of the game was checked before the last refill",
        "https://github.com/hugosaintemarie/set-game/pull/4",
        "checked in the step of the last claim",
    ),
    "F9": Experience(
        "an empty deck dealt empty cards",
        "https://github.com/vakila/net-set/issues/3",
        "the slots stay empty; no partial refill",
    ),
    "F10": Experience(
        "unclear size of the board after an expansion",
        "https://github.com/igorsheg/set-up/issues/67",
        "the board stays expanded: decision D9",
    ),
    "F11": Experience(
        "cards that were not claimed moved or vanished", f"{GAME}/pull/70", "every other card keeps its slot"
    ),
    "F12": Experience(
        "new cards were in random slots, or two in one slot",
        f"{FORK}/pull/69",
        "in the last slots, in draw order",
    ),
    "F13": Experience(
        "client and server put simultaneous claims in different orders",
        f"{FORK}/pull/47",
        "one order (decision D1); records replay",
    ),
    "F14": Experience(
        "the clock of a slow client decided", f"{FORK}/pull/178", "only the tick of the server decides"
    ),
    "F15": Experience(
        "a claim by slot took cards that the player had not received",
        f"{GAME}/issues/22",
        "claims name cards; a card that left the board is STALE",
    ),
    "F16": Experience(
        "a lock, or a vote without voters, that never ended",
        f"{GAME}/issues/152",
        "locks expire; a vote without voters fails",
    ),
    "F17": Experience(
        "a shortcut of the rule accepted X, Y, X as all different",
        "",
        "equal to the definition for all combinations of three cards",
    ),
    "F18": Experience(
        "ties were decided by user id", f"{GAME}/issues/153", "a draw, or the fewest invalid claims win"
    ),
    "F19": Experience(
        "users who joined late were rejected without a reason",
        f"{GAME}/issues/129",
        "they become spectators, or receive the reason",
    ),
    "F20": Experience(
        "a lost connection lost the score",
        "https://gabrielbrita.in/projects/passt.html",
        "kept for the reconnect window",
    ),
    "F21": Experience(
        "lost players counted as connected; a late leave removed the new connection",
        f"{TEMPLATE}/pull/19",
        "seats belong to users, connections to sessions",
    ),
    "F22": Experience(
        "a pause made the clock jump and ended the game",
        "https://github.com/Hanabi-Live/hanabi-live/issues/1687",
        "the match clock stops during an outage",
    ),
    "F23": Experience(
        "scores went below zero", "https://github.com/vakila/net-set", "a score is never below 0"
    ),
    "F24": Experience(
        "clients could read the deck", f"{GAME}/pull/186", "no message depends on undealt cards"
    ),
    "F25": Experience(
        "guessing and flooding were rewarded",
        f"{GAME}/issues/114",
        "a lock after an invalid claim, a rate limit per connection",
    ),
    "F26": Experience(
        "a double tap counted twice",
        "https://github.com/dnsbty/level10/issues/97",
        "one result per claim id",
    ),
    "F27": Experience(
        "error texts named colors that the theme did not use",
        f"{GAME}/issues/6",
        "the attribute is an enum value",
    ),
    "F28": Experience(
        "a board reported as without a Set had two",
        "https://possiblywrong.wordpress.com",
        "all Sets are found by definition, each once",
    ),
    "F29": Experience(
        "the daily puzzle differed between users around midnight",
        "https://github.com/MikhaD/wordle/issues/19",
        "the UTC date at the start of the game",
    ),
}

THREADS: Final = {
    "1": Experience(
        "an error ended the match without a message to the players",
        f"{NAKAMA}/issues/414",
        "players receive a message, nothing is lost",
    ),
    "2": Experience(
        "a second join on the same socket never reaches the match",
        f"{NAKAMA}/issues/245",
        "nothing changes; SYNC returns a snapshot",
    ),
    "3": Experience(
        "a finished match was never removed",
        "https://forum.heroiclabs.com/t/225",
        "it ends if there is no rematch",
    ),
    "4": Experience("empty matches never ended", f"{NAKAMA}/pull/2447", "the rules service ends them"),
    "5": Experience(
        "no way to end a match from another server",
        f"{NAKAMA}/issues/324",
        "the RPC set_signal, for servers only",
    ),
    "6": Experience(
        "users who searched at the same time got one match each",
        "https://forum.heroiclabs.com/t/3135",
        "only as many matches as needed",
    ),
    "7": Experience(
        "a failed hook created a match without server authority",
        f"{NAKAMA}/issues/761",
        "an error; matches without the rules service are rejected",
    ),
    "8": Experience(
        "a plugin built with other package versions", f"{NAKAMA}/issues/1256", "rejected by `nakama check`"
    ),
    "9": Experience("a library that is not a plugin", f"{NAKAMA}/issues/913", "rejected by `nakama check`"),
    "10": Experience(
        "a nil pointer crashed the server",
        f"{NAKAMA}/issues/610",
        "a response is applied completely or rejected",
    ),
    "11": Experience(
        "match parameters that Nakama cannot encode", f"{NAKAMA}/issues/533", "parameters are plain strings"
    ),
    "12": Experience(
        "join metadata was missing or wrong",
        "https://github.com/heroiclabs/nakama-godot/issues/59",
        "the join still gets a seat",
    ),
    "13": Experience(
        "the reason of a rejected join did not reach the player",
        f"{NAKAMA}/issues/453",
        "each reason has its own text",
    ),
    "14": Experience(
        "data sent to an ended match was lost",
        f"{NAKAMA}/issues/271",
        "every message of a player in the match is answered",
    ),
    "15": Experience(
        "a client that reads slowly, a slow call",
        f"{NAKAMA}/issues/299",
        "all clients receive a burst in order; calls have a deadline",
    ),
}
