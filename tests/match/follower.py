"""A client that knows only what it was told: one snapshot, then every message since."""

from typing import Any, Final

from match_handler.protocol.payloads import OpCode
from tests.match.driver import Heard

PASSING: Final = ("timeRemainingMs", "lockedUntilMs")
"""What changes by the mere passing of time."""
BOARD: Final = ("boardVersion", "cardsRemaining")


def lasting(player: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in player.items() if name not in PASSING}


class Follower:
    """What one connection believes about the table."""

    def __init__(self) -> None:
        self.seats: list[int] = []
        self.seq = self.game = -1
        self.players: list[dict[str, Any]] = []
        self.board: dict[int, int | None] = {}
        self.standing: dict[str, int] = {}
        self.results: dict[str, Any] | None = None

    def hear(self, told: Heard) -> None:
        """Takes a message in; one to all must be the next in number."""
        if told.audience is None:
            assert told.body["seq"] == self.seq + 1
            self.seq = told.body["seq"]
        reader = _READERS.get(told.op_code)
        if reader is not None:
            reader(self, told.body)

    def _take_table(self, body: dict[str, Any]) -> None:
        self.seq, self.game = body["seq"], body["game"]
        self.players = [lasting(player) for player in body["players"]]
        self.board = {slot["index"]: slot.get("cardId") for slot in body["slots"]}
        self.standing = {name: body[name] for name in BOARD}
        self.results = None

    def _take_snapshot(self, body: dict[str, Any]) -> None:
        self._take_table(body)
        self.seats, self.results = body["yourSeats"], body.get("results")

    def _take_board(self, body: dict[str, Any]) -> None:
        self.board |= {slot["index"]: slot.get("cardId") for slot in body["slots"]}
        self.standing = {name: body[name] for name in BOARD}

    def _take_claim(self, body: dict[str, Any]) -> None:
        self._take_board(body)
        self.players[body["seat"]] = lasting(body["player"])

    def _take_player(self, body: dict[str, Any]) -> None:
        player = lasting(body["player"])
        if player["seat"] == len(self.players):
            self.players.append(player)
        self.players[player["seat"]] = player

    def _take_end(self, body: dict[str, Any]) -> None:
        self.results = {name: value for name, value in body.items() if name != "seq"}
        for line in body["standings"]:
            self.players[line["player"]["seat"]] = lasting(line["player"])

    def agrees_with(self, snapshot: dict[str, Any]) -> None:
        """Fails where a fresh snapshot says anything else."""
        fresh = Follower()
        fresh._take_snapshot(snapshot)
        assert (self.seq, self.game) == (fresh.seq, fresh.game)
        assert self.players == fresh.players
        assert self.board == fresh.board
        assert self.standing == fresh.standing
        assert (self.results is None) == (fresh.results is None)
        assert self.results is None or self.results["deck"] == snapshot["results"]["deck"]


_READERS: Final = {
    OpCode.SNAPSHOT: Follower._take_snapshot,
    OpCode.MATCH_STARTED: Follower._take_table,
    OpCode.CLAIM_RESULT: Follower._take_claim,
    OpCode.BOARD_EXPANDED: Follower._take_board,
    OpCode.PLAYER_CHANGED: Follower._take_player,
    OpCode.MATCH_ENDED: Follower._take_end,
}
