"""A client model that knows only its received messages: one snapshot, then every later message."""

from typing import Any, Final

from match_handler.protocol.payloads import OpCode
from tests.match.messages import Received

TIMED_FIELDS: Final = ("timeRemainingMs", "lockedUntilMs")
"""Fields that change with time alone."""
BOARD: Final = ("boardVersion", "cardsRemaining")


def untimed(player: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in player.items() if name not in TIMED_FIELDS}


class Follower:
    """The match as one connection knows it."""

    def __init__(self) -> None:
        self.seats: list[int] = []
        self.seq = self.game = -1
        self.players: list[dict[str, Any]] = []
        self.board: dict[int, int | None] = {}
        self.standing: dict[str, int] = {}
        self.results: dict[str, Any] | None = None

    def apply(self, message: Received) -> None:
        """Apply a message; the number of a public message must be the next one."""
        if message.audience is None:
            assert message.body["seq"] == self.seq + 1
            self.seq = message.body["seq"]
        reader = _READERS.get(message.op_code)
        if reader is not None:
            reader(self, message.body)

    def _apply_game(self, body: dict[str, Any]) -> None:
        self.seq, self.game = body["seq"], body["game"]
        self.players = [untimed(player) for player in body["players"]]
        self.board = {slot["index"]: slot.get("cardId") for slot in body["slots"]}
        self.standing = {name: body[name] for name in BOARD}
        self.results = None

    def _apply_snapshot(self, body: dict[str, Any]) -> None:
        self._apply_game(body)
        self.seats, self.results = body["yourSeats"], body.get("results")

    def _apply_board(self, body: dict[str, Any]) -> None:
        self.board |= {slot["index"]: slot.get("cardId") for slot in body["slots"]}
        self.standing = {name: body[name] for name in BOARD}

    def _apply_claim(self, body: dict[str, Any]) -> None:
        self._apply_board(body)
        self.players[body["seat"]] = untimed(body["player"])

    def _apply_player(self, body: dict[str, Any]) -> None:
        player = untimed(body["player"])
        if player["seat"] == len(self.players):
            self.players.append(player)
        self.players[player["seat"]] = player

    def _apply_end(self, body: dict[str, Any]) -> None:
        self.results = {name: value for name, value in body.items() if name != "seq"}
        for line in body["standings"]:
            self.players[line["player"]["seat"]] = untimed(line["player"])

    def check_equals(self, snapshot: dict[str, Any]) -> None:
        """Check that a new snapshot has the same content."""
        fresh = Follower()
        fresh._apply_snapshot(snapshot)
        assert (self.seq, self.game) == (fresh.seq, fresh.game)
        assert self.players == fresh.players
        assert self.board == fresh.board
        assert self.standing == fresh.standing
        assert (self.results is None) == (fresh.results is None)
        assert self.results is None or self.results["deck"] == snapshot["results"]["deck"]


_READERS: Final = {
    OpCode.SNAPSHOT: Follower._apply_snapshot,
    OpCode.MATCH_STARTED: Follower._apply_game,
    OpCode.CLAIM_RESULT: Follower._apply_claim,
    OpCode.BOARD_EXPANDED: Follower._apply_board,
    OpCode.PLAYER_CHANGED: Follower._apply_player,
    OpCode.MATCH_ENDED: Follower._apply_end,
}
