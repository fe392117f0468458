"""A match whose players reconnect, and the comparison of their results with the records."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from demo.client import messages as wire
from demo.client.duel import play_duel
from demo.client.sets import CARDS
from demo.client.vocabulary import Op
from match_handler.match.replay import differences, parse_record
from tests.restarts.measurements import Restarts
from tests.support.clients import ONLINE, options_of, rpc_as_server, wait_for_record, wait_until
from tests.support.clocks import Clock, clock_error_s
from tests.support.judged import Judged, claim_of, missing, recorded_claims, unexplained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.client.reconnecting import ReconnectingPlayer
    from match_handler.match.record import Record
    from tests.support.clients import Clients
    from tests.support.judged import Restart

LONGEST_PAUSE_S = 0.04
WINS = "set_wins"


@dataclass(frozen=True)
class Kind:
    """A kind of match.

    Attributes:
        mode: The mode.
        users: Users with a seat.
        spectators: Users without a seat.
        options: Further options.
    """

    mode: str = ONLINE
    users: int = 2
    spectators: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


class RestartedMatch:
    """A match during which Nakama restarts.

    Attributes:
        kind: The kind of the match.
        players: The users with a seat who have joined.
        spectators: The spectators.
        judged: The results of claims, by claim id.
        ends: The ends of the games, by number.
    """

    def __init__(self, clients: Clients, kind: Kind) -> None:
        """Create the match. Nobody joins it."""
        self._clients = clients
        self.kind = kind
        seats = {"maxPlayers": kind.users} if kind.mode == ONLINE else {}
        options = options_of(kind.mode, **seats, **kind.options)
        self.match_id = str(rpc_as_server(clients.stack, "set_create_match", options)["matchId"])
        self.players: list[ReconnectingPlayer] = []
        self.spectators: list[ReconnectingPlayer] = []
        self.judged: dict[str, Judged] = {}
        self.ends: dict[int, wire.MatchEnded] = {}
        self._clocks: list[Clock] = []
        self._restarting_at: float | None = None
        self._counted_twice = 0

    def join(self, users: int) -> None:
        """Let further users join; the last one is followed by the spectators."""
        for _ in range(users):
            self.players.append(self._joined())
        if len(self.players) == self.kind.users:
            self.spectators = [self._joined({"spectate": "true"}) for _ in range(self.kind.spectators)]

    def play(self) -> None:
        """Play until the end of the game, and until the spectators have received it."""
        for player in self.players:
            while not player.model.playing:
                player.receive()
        play_duel(self.players, LONGEST_PAUSE_S)
        model = self.players[0].model
        sets = sum(player.sets_collected for player in model.players.values())
        self._counted_twice += sets - (CARDS - len(model.board)) // 3
        for spectator in self.spectators:
            while spectator.model.results is None:
                spectator.receive()
            spectator.sync()

    def request_rematch(self) -> None:
        """Let every player join again if necessary, and request a rematch."""
        for player in self.players:
            player.sync()
        for player in self.players:
            player.send(Op.REMATCH, {})
        for player in self.players:
            player.wait_for(wire.MatchStarted)

    def measure(self, restart: Restart) -> Restarts:
        """Return what players and records show, after the last game."""
        records = [self._record(end) for end in self.ends.values()]
        recorded = [claim for record in records if record for claim in recorded_claims(record)]
        lost = missing(self.judged.values(), recorded)
        assert unexplained(lost, [restart]) == []
        notice_at = self._restarting_at
        stopped_at = notice_at if notice_at and notice_at < restart.started_at else restart.killed_at
        answers = [judged.at for judged in self.judged.values() if judged.at > restart.started_at]
        return Restarts(
            times=1,
            matches=1,
            claims=len(self.judged),
            missing=len(lost),
            counted_twice=self._counted_twice,
            results_wrong=records.count(None) + self._wrong_wins(),
            answer_s=min(answers) - restart.started_at if answers else 0.0,
            clock_error_s=clock_error_s(self._clocks, stopped_at, restart.started_at),
        )

    def _joined(self, metadata: Mapping[str, str] | None = None) -> ReconnectingPlayer:
        return self._clients.join_reconnecting(self.match_id, self._note, metadata)

    def _note(self, message: wire.Message) -> None:
        now = time.monotonic()
        match message:
            case wire.ClaimResult():
                self.judged.setdefault(
                    message.claim_id, Judged(now, claim_of(message.seat, message.card_ids))
                )
            case wire.Snapshot():
                self._clocks.append(Clock(now, message.now_ms))
                if message.results is not None:
                    fields = {name: getattr(message.results, name) for name in wire.Results.__struct_fields__}
                    self.ends[message.game] = wire.MatchEnded(seq=message.seq, **fields)
            case wire.MatchEnded():
                self.ends[self.players[0].model.game] = message
            case wire.ServiceStatus(restarting=True):
                self._restarting_at = now

    def _record(self, end: wire.MatchEnded) -> Record | None:
        """Return the record of a game, or None if it does not replay."""
        stored = wait_for_record(self.players[0].client, end.record_key)
        record = parse_record(json.dumps(stored).encode())
        return None if differences(record) else record

    def _wrong_wins(self) -> int:
        """Return how many users have another number of wins than games that they won."""
        if self.kind.mode != ONLINE:
            return 0
        won = dict.fromkeys((player.client.user_id for player in self.players), 0)
        for end in self.ends.values():
            winners = [line.player.user_id for line in end.standings if line.player.seat == end.winner_seat]
            won.update({user: won[user] + 1 for user in winners})
        for player in self.players:
            wait_for_wins(player, won[player.client.user_id])
        return sum(wins(player) != won[player.client.user_id] for player in self.players)


def wait_for_wins(player: ReconnectingPlayer, count: int) -> None:
    """Wait until a user has at least this number of ranked wins."""
    wait_until(lambda: wins(player) >= count)


def wins(player: ReconnectingPlayer) -> int:
    """Return the ranked wins of a user."""
    entry = player.client.leaderboard_entry(WINS)
    return entry[0] if entry else 0
