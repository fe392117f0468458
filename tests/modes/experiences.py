"""What went wrong in other servers of the game, and what others met with Nakama: each was tried here."""

from __future__ import annotations

from typing import Final, NamedTuple

GAME: Final = "https://github.com/ekzhang/setwithfriends"
FORK: Final = "https://github.com/eltoder/setwithfriends"
NAKAMA: Final = "https://github.com/heroiclabs/nakama"
TEMPLATE: Final = "https://github.com/heroiclabs/nakama-project-template"


class Experience(NamedTuple):
    """What happened, where it can be read (empty: in a source without a report), and what happens here."""

    what: str
    source: str
    here: str


FAULTS: Final = {
    "F1": Experience(
        "two players were credited with one Set", f"{GAME}/issues/2", "one point, the other is STALE"
    ),
    "F2": Experience(
        "the last Sets, taken at once, left a game without an end",
        f"{GAME}/issues/13",
        "one end, in that tick",
    ),
    "F3": Experience(
        "any three undealt cards scored", f"{GAME}/pull/186", "STALE; nothing is told of the card"
    ),
    "F4": Experience(
        "cards that are not on the board, or one card three times, scored",
        f"{GAME}/pull/186",
        "STALE or MALFORMED",
    ),
    "F5": Experience(
        "with only spectators left nobody ended the game", f"{GAME}/issues/160", "the server ends it"
    ),
    "F6": Experience(
        "some results were never written, or twice", f"{FORK}/issues/5", "written once, whatever is away"
    ),
    "F7": Experience(
        "late calls on a finished game were internal errors",
        f"{GAME}/pull/138",
        "the same answer again, or a clear code",
    ),
    "F8": Experience(
        "the end was looked for before the last deal",
        "https://github.com/hugosaintemarie/set-game/pull/4",
        "in the step of the last claim",
    ),
    "F9": Experience(
        "an empty deck dealt empty cards",
        "https://github.com/vakila/net-set/issues/3",
        "empty slots, no partial deal",
    ),
    "F10": Experience(
        "what an expanded table falls back to",
        "https://github.com/igorsheg/set-up/issues/67",
        "it stays: decision D9",
    ),
    "F11": Experience(
        "untouched cards moved or vanished", f"{GAME}/pull/70", "every other card keeps its slot"
    ),
    "F12": Experience(
        "new cards lay anywhere, or two in one place", f"{FORK}/pull/69", "in the last slots, in draw order"
    ),
    "F13": Experience(
        "client and server put simultaneous claims in different orders",
        f"{FORK}/pull/47",
        "one order, D1; records replay",
    ),
    "F14": Experience(
        "a lagging client's own time decided", f"{FORK}/pull/178", "only the server's tick does"
    ),
    "F15": Experience(
        "a claim by position took cards that its maker had not seen",
        f"{GAME}/issues/22",
        "claims name cards; gone is STALE",
    ),
    "F16": Experience(
        "a lock, or a vote of nobody, that never ended",
        f"{GAME}/issues/152",
        "locks expire; nobody is no majority",
    ),
    "F17": Experience(
        "a shortcut of the rule let X, Y, X pass",
        "",
        "equal to the definition for all triples",
    ),
    "F18": Experience("ties were decided by user id", f"{GAME}/issues/153", "a draw, or fewest mistakes"),
    "F19": Experience(
        "who came late found no way in, and no word why",
        f"{GAME}/issues/129",
        "they watch, or are told why not",
    ),
    "F20": Experience(
        "a lost connection lost the score",
        "https://gabrielbrita.in/projects/passt.html",
        "kept for the window",
    ),
    "F21": Experience(
        "lost players counted as there; a late leave hit the new connection",
        f"{TEMPLATE}/pull/19",
        "seats by user, presence by session",
    ),
    "F22": Experience(
        "a pause made the clock jump and ended the game",
        "https://github.com/Hanabi-Live/hanabi-live/issues/1687",
        "the clock stands still, never below 0",
    ),
    "F23": Experience("scores went below zero", "https://github.com/vakila/net-set", "0 is the least"),
    "F24": Experience(
        "the deck could be read by clients", f"{GAME}/pull/186", "nothing depends on undealt cards"
    ),
    "F25": Experience(
        "guessing and flooding paid", f"{GAME}/issues/114", "a lock per guess, a limit per connection"
    ),
    "F26": Experience(
        "a double tap counted twice",
        "https://github.com/dnsbty/level10/issues/97",
        "one judgement per claim id",
    ),
    "F27": Experience(
        "refusals named colours that the theme did not show",
        f"{GAME}/issues/6",
        "the attribute is an enum value",
    ),
    "F28": Experience(
        "a board said to have no Set had two",
        "https://possiblywrong.wordpress.com",
        "found by definition, in order, each once",
    ),
    "F29": Experience(
        "everybody's puzzle of the day differed around midnight",
        "https://github.com/MikhaD/wordle/issues/19",
        "the UTC date at the start",
    ),
}

THREADS: Final = {
    "1": Experience(
        "an error ended the match and nobody was told",
        f"{NAKAMA}/issues/414",
        "players are told, nothing is lost",
    ),
    "2": Experience(
        "joining again on one socket never reaches the match",
        f"{NAKAMA}/issues/245",
        "nothing changes; SYNC works",
    ),
    "3": Experience(
        "a finished match stayed", "https://forum.heroiclabs.com/t/225", "gone when nobody wants a rematch"
    ),
    "4": Experience("empty matches never ended", f"{NAKAMA}/pull/2447", "the rules end them"),
    "5": Experience(
        "no way to end a match from outside", f"{NAKAMA}/issues/324", "set_signal, for servers only"
    ),
    "6": Experience(
        "players who came together made a match each",
        "https://forum.heroiclabs.com/t/3135",
        "no more matches than they fill",
    ),
    "7": Experience(
        "a failed hook gave out a match without a referee", f"{NAKAMA}/issues/761", "an error, and the guards"
    ),
    "8": Experience(
        "a plugin built with other packages", f"{NAKAMA}/issues/1256", "refused by `nakama check`"
    ),
    "9": Experience(
        "a file that is no plugin of this server", f"{NAKAMA}/issues/913", "refused by `nakama check`"
    ),
    "10": Experience(
        "a nil pointer took the server down", f"{NAKAMA}/issues/610", "any reply is applied whole or refused"
    ),
    "11": Experience(
        "parameters that Nakama cannot pass on", f"{NAKAMA}/issues/533", "flat texts; options by name"
    ),
    "12": Experience(
        "join metadata missing or odd",
        "https://github.com/heroiclabs/nakama-godot/issues/59",
        "a seat all the same",
    ),
    "13": Experience(
        "the reason of a refusal did not reach the player", f"{NAKAMA}/issues/453", "each has its own words"
    ),
    "14": Experience(
        "data to a dead match vanished", f"{NAKAMA}/issues/271", "an answer to every message while in it"
    ),
    "15": Experience(
        "a slow reader, a slow call",
        f"{NAKAMA}/issues/299",
        "a burst reaches all in order; calls are bounded",
    ),
}
