"""Model of a match in a client, built from the messages of the match only.

Each message is applied by the model's own rules, and the result is compared with the message. Each snapshot
is compared with the model. A difference raises an error that contains the field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from demo.client import messages as wire
from demo.client import rules
from demo.client.comparison import SequenceGapError, by_index, expect, lasting, tally, without_window
from demo.client.sets import CARDS, Triple, all_sets
from demo.client.vocabulary import Change, End, Phase, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FIRST_BOARD_SIZE = 12
REFILL_SIZE = 3

_EXPECTED_STATUS = {
    Change.JOINED: Status.CONNECTED,
    Change.DISCONNECTED: Status.DISCONNECTED,
    Change.RECONNECTED: Status.CONNECTED,
    Change.FORFEITED: Status.FORFEITED,
}


class MatchModel:
    """Model of a match.

    Attributes:
        seq: Number of the last numbered message.
        players: Players by seat.
        slots: Card in each slot, or None.
        cards_remaining: Number of cards in the deck.
        locked_until_ms: End of the lock of the board, in match time.
        results: Result of the game, or None before its end.
        paused: Whether the match is paused by an outage.
        checked: Number of snapshots that were equal to the model.
    """

    def __init__(self) -> None:
        """Create an empty model. The first snapshot replaces it."""
        self.known = False
        self.seq = 0
        self.game = 0
        self.board_version = 0
        self.cards_remaining = CARDS
        self.locked_until_ms = 0
        self.options: wire.Options | None = None
        self.players: dict[int, wire.Player] = {}
        self.slots: dict[int, int | None] = {}
        self.results: wire.MatchEnded | None = None
        self.paused = False
        self.checked = 0
        self._expanding = False
        self._dealt: list[int] = []

    @property
    def board(self) -> list[int]:
        """The cards on the board, in slot order."""
        return [card for _, card in sorted(self.slots.items()) if card is not None]

    @property
    def sets(self) -> list[Triple]:
        """The Sets on the board."""
        return all_sets(self.board)

    @property
    def playing(self) -> bool:
        """Whether a game is running."""
        return self.game > 0 and self.results is None

    def phase_at(self, now_ms: int) -> Phase:
        """Return the expected phase at the match time `now_ms`, without further messages."""
        if not self.playing:
            return Phase.WAITING if self.game == 0 else Phase.MATCH_END
        if now_ms >= self.locked_until_ms:
            return Phase.BOARD_IDLE
        if self._expanding:
            return Phase.EXPAND_BOARD
        refilling = now_ms >= self.locked_until_ms - self._options.animation_ms.refill
        return Phase.REFILL_ANIM if refilling else Phase.VALID_SET_ANIM

    def forget(self) -> None:
        """Ignore all messages until the next snapshot, and replace the model with it."""
        self.known = False

    def apply(self, message: wire.Message) -> None:
        """Apply a message and compare it with the model.

        Raises:
            ModelMismatchError: The message differs from the model.
        """
        if not self.known and not isinstance(message, wire.Snapshot):
            return
        if isinstance(message, wire.Numbered):
            self._check_seq(message.seq)
        handler = cast("Callable[[wire.Message], None] | None", self._handlers.get(type(message)))
        if handler is not None:
            handler(message)

    @property
    def _handlers(self) -> dict[type[wire.Message], Any]:
        return {
            wire.Snapshot: self._snapshot,
            wire.MatchStarted: self._match_started,
            wire.ClaimResult: self._claim_result,
            wire.BoardExpanded: self._board_expanded,
            wire.PlayerChanged: self._player_changed,
            wire.MatchEnded: self._match_ended,
            wire.ServiceStatus: self._service_status,
        }

    @property
    def _options(self) -> wire.Options:
        assert self.options is not None
        return self.options

    def _check_seq(self, seq: int) -> None:
        if seq != self.seq + 1:
            raise SequenceGapError(f"seq: the model waits for {self.seq + 1}, the match sent {seq}")
        self.seq = seq

    def _snapshot(self, snapshot: wire.Snapshot) -> None:
        if self.known:
            self._compare(snapshot)
            self.checked += 1
            return
        self.known = True
        self.seq, self.game, self.board_version = snapshot.seq, snapshot.game, snapshot.board_version
        self.options, self.cards_remaining = snapshot.options, snapshot.cards_remaining
        self.locked_until_ms = snapshot.locked_until_ms or 0
        self._expanding = snapshot.phase == Phase.EXPAND_BOARD
        self.players = {player.seat: player for player in snapshot.players}
        self.slots = by_index(snapshot.slots)
        self._dealt = []
        self.results = self._results_in(snapshot)

    def _results_in(self, snapshot: wire.Snapshot) -> wire.MatchEnded | None:
        if snapshot.results is None:
            return None
        fields = {name: getattr(snapshot.results, name) for name in wire.Results.__struct_fields__}
        return wire.MatchEnded(seq=snapshot.seq, **fields)

    def _compare(self, snapshot: wire.Snapshot) -> None:
        expect("seq", self.seq, snapshot.seq)
        expect("game", self.game, snapshot.game)
        expect("options", self.options, snapshot.options)
        expect("players", lasting(self.players.values()), lasting(snapshot.players))
        expect("slots", self.slots, by_index(snapshot.slots))
        expect("cardsRemaining", self.cards_remaining, snapshot.cards_remaining)
        expect("boardVersion", self.board_version, snapshot.board_version)
        expect("phase", self.phase_at(snapshot.now_ms), snapshot.phase)
        if self.playing:
            lock = self.locked_until_ms if self.locked_until_ms > snapshot.now_ms else None
            expect("lockedUntilMs", lock, snapshot.locked_until_ms)
        expect("results", self._expected_results(), snapshot.results)

    def _expected_results(self) -> wire.Results | None:
        if self.results is None:
            return None
        fields = {name: getattr(self.results, name) for name in wire.Results.__struct_fields__}
        return wire.Results(**fields)

    def _match_started(self, started: wire.MatchStarted) -> None:
        expect("game", self.game + 1, started.game)
        expect("players", {(0, 0, 0)}, set(map(tally, started.players)))
        self.game, self.options, self.results = started.game, started.options, None
        self.players = {player.seat: player for player in started.players}
        self.slots, self._dealt, self.cards_remaining = {}, [], CARDS
        self._place(started.slots)
        expect("slots", list(range(FIRST_BOARD_SIZE)), sorted(self.slots))
        expect("cardsRemaining", self.cards_remaining, started.cards_remaining)
        self.board_version = started.board_version
        self.locked_until_ms = started.locked_until_ms or 0

    def _claim_result(self, result: wire.ClaimResult) -> None:
        claimant = self.players[result.seat]
        first, second, third = result.card_ids
        cards = (first, second, third)
        expected = rules.judge(self.board, cards, claimant, self._options)
        received = (result.valid, result.reason, result.mixed_attribute, result.message, result.score_delta)
        expect("valid, reason, mixedAttribute, message, scoreDelta", expected[:5], received)
        expect("userId", claimant.user_id, result.user_id)
        self._update_player(rules.after(claimant, expected), result.player)
        if expected.valid:
            self._take_set(cards, result)
        else:
            expect("slots", [], result.slots)
        expect("boardVersion", self.board_version, result.board_version)
        expect("cardsRemaining", self.cards_remaining, result.cards_remaining)

    def _take_set(self, cards: Triple, result: wire.ClaimResult) -> None:
        """Replace the cards of a valid claim with the refill."""
        emptied = sorted(index for index, card in self.slots.items() if card in cards)
        expect("slots", emptied, [slot.index for slot in result.slots])
        refilled = self.cards_remaining >= REFILL_SIZE
        expect("slots", refilled, all(slot.card_id is not None for slot in result.slots))
        self.slots.update(dict.fromkeys(emptied))
        self._place(result.slots)
        self.board_version += 1
        self.locked_until_ms, self._expanding = result.locked_until_ms, False
        animation = self._options.animation_ms
        started_ms = result.locked_until_ms - animation.valid_set - animation.refill
        if self.sets or self.cards_remaining >= REFILL_SIZE:
            expect("phase", self.phase_at(started_ms), result.phase)

    def _board_expanded(self, expansion: wire.BoardExpanded) -> None:
        expect("sets on the board", [], self.sets)
        new = range(len(self.slots), len(self.slots) + REFILL_SIZE)
        expect("slots", list(new), [slot.index for slot in expansion.slots])
        self._place(expansion.slots)
        expect("cardsRemaining", self.cards_remaining, expansion.cards_remaining)
        self.board_version += 1
        expect("boardVersion", self.board_version, expansion.board_version)
        self.locked_until_ms, self._expanding = expansion.locked_until_ms, True

    def _player_changed(self, changed: wire.PlayerChanged) -> None:
        player = changed.player
        if changed.change in {Change.FORFEITED, Change.KICKED} and not self.playing:
            self.forget()  # the seats after this one change, and a snapshot follows
            return
        if player.seat not in self.players:
            expect("change, seat", (Change.JOINED, len(self.players)), (changed.change, player.seat))
        else:
            expect("player", tally(self.players[player.seat]), tally(player))
        if changed.change in _EXPECTED_STATUS and not self._is_out(player.seat):
            expect("status", _EXPECTED_STATUS[changed.change], player.status)
        self.players[player.seat] = player

    def _is_out(self, seat: int) -> bool:
        return seat in self.players and self.players[seat].status == Status.FORFEITED

    def _match_ended(self, ended: wire.MatchEnded) -> None:
        if self.playing:
            self._check_end(ended)
        self.results = ended
        self.players = {line.player.seat: line.player for line in ended.standings} or self.players

    def _check_end(self, ended: wire.MatchEnded) -> None:
        expected = lasting(without_window(player) for player in self.players.values())
        expect("standings", expected, lasting(line.player for line in ended.standings))
        ranks = [(line.rank, line.player.seat) for line in ended.standings]
        expect("standings", rules.standings(self.players.values(), self._options), ranks)
        expect(
            "winnerSeat, draw", rules.winner(ended.reason, ended.standings), (ended.winner_seat, ended.draw)
        )
        expect("deck", list(range(CARDS)), sorted(ended.deck))
        if len(self._dealt) == CARDS - self.cards_remaining:  # not after a new join in the middle of a game
            expect("deck", sorted(self._dealt), sorted(ended.deck[: CARDS - self.cards_remaining]))
        if ended.reason == End.DECK_EXHAUSTED:
            expect("sets on the board", [], self.sets)
            expect("cardsRemaining", min(self.cards_remaining, REFILL_SIZE - 1), self.cards_remaining)

    def _service_status(self, status: wire.ServiceStatus) -> None:
        self.paused = status.paused

    def _place(self, slots: Iterable[wire.Slot]) -> None:
        for slot in slots:
            if slot.card_id is None:
                continue
            expect("slots", None, self.slots.get(slot.index))
            expect(
                "cards dealt before",
                [],
                [card for card in (*self._dealt, *self.board) if card == slot.card_id],
            )
            self.slots[slot.index] = slot.card_id
            self._dealt.append(slot.card_id)
            self.cards_remaining -= 1

    def _update_player(self, expected: wire.Player, received: wire.Player) -> None:
        expect("player", lasting([expected]), lasting([received]))
        self.players[expected.seat] = received
