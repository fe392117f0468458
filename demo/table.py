"""A player's own model of the table, built from nothing but what the match sends.

Every message is applied by the model's own rules and compared with what it says; every snapshot is
compared with the whole model. A difference is an error that names the field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from demo import messages as wire
from demo import referee
from demo.comparison import SequenceGapError, by_index, expect, lasting, tally, without_window
from demo.sets import CARDS, Triple, all_sets
from demo.vocabulary import Change, End, Phase, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FIRST_BOARD = 12
DEALT_AT_ONCE = 3


_STATUS_AFTER = {
    Change.JOINED: Status.CONNECTED,
    Change.DISCONNECTED: Status.DISCONNECTED,
    Change.RECONNECTED: Status.CONNECTED,
    Change.FORFEITED: Status.FORFEITED,
}


class Table:
    """The model.

    Attributes:
        seq: The number of the last message to all.
        players: By seat.
        slots: The card in each slot, or None.
        cards_remaining: Cards left to deal.
        locked_until_ms: Until when everybody's claims are locked, on the match clock.
        results: The result of the game, once it has ended.
        paused: Whether the referee is away.
        checked: How many snapshots were found equal to the model.
    """

    def __init__(self) -> None:
        """Begin without knowing anything; the first snapshot or deal is believed."""
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
        """The cards on the board, in the order of their slots."""
        return [card for _, card in sorted(self.slots.items()) if card is not None]

    @property
    def sets(self) -> list[Triple]:
        """The Sets on the board."""
        return all_sets(self.board)

    @property
    def playing(self) -> bool:
        """Whether a game is going on."""
        return self.game > 0 and self.results is None

    def phase_at(self, now_ms: int) -> Phase:
        """Return where the game stands at that time, as long as no other message comes."""
        if not self.playing:
            return Phase.WAITING if self.game == 0 else Phase.MATCH_END
        if now_ms >= self.locked_until_ms:
            return Phase.BOARD_IDLE
        if self._expanding:
            return Phase.EXPAND_BOARD
        refilling = now_ms >= self.locked_until_ms - self._options.animation_ms.refill
        return Phase.REFILL_ANIM if refilling else Phase.VALID_SET_ANIM

    def forget(self) -> None:
        """Believe the next snapshot: this client has missed something."""
        self.known = False

    def apply(self, message: wire.Message) -> None:
        """Apply what the match sent.

        Raises:
            ModelMismatchError: It is not what it should be.
        """
        if not self.known and not isinstance(message, wire.Snapshot):
            return
        if isinstance(message, wire.Numbered):
            self._count(message.seq)
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

    def _count(self, seq: int) -> None:
        if seq != self.seq + 1:
            raise SequenceGapError(f"seq: the model waits for {self.seq + 1}, the match sent {seq}")
        self.seq = seq

    def _snapshot(self, told: wire.Snapshot) -> None:
        if self.known:
            self._compare(told)
            self.checked += 1
            return
        self.known = True
        self.seq, self.game, self.board_version = told.seq, told.game, told.board_version
        self.options, self.cards_remaining = told.options, told.cards_remaining
        self.locked_until_ms = told.locked_until_ms or 0
        self._expanding = told.phase == Phase.EXPAND_BOARD
        self.players = {player.seat: player for player in told.players}
        self.slots = by_index(told.slots)
        self._dealt = []
        self.results = self._results_in(told)

    def _results_in(self, told: wire.Snapshot) -> wire.MatchEnded | None:
        if told.results is None:
            return None
        fields = {name: getattr(told.results, name) for name in wire.Results.__struct_fields__}
        return wire.MatchEnded(seq=told.seq, **fields)

    def _compare(self, told: wire.Snapshot) -> None:
        expect("seq", self.seq, told.seq)
        expect("game", self.game, told.game)
        expect("options", self.options, told.options)
        expect("players", lasting(self.players.values()), lasting(told.players))
        expect("slots", self.slots, by_index(told.slots))
        expect("cardsRemaining", self.cards_remaining, told.cards_remaining)
        expect("boardVersion", self.board_version, told.board_version)
        expect("phase", self.phase_at(told.now_ms), told.phase)
        if self.playing:
            lock = self.locked_until_ms if self.locked_until_ms > told.now_ms else None
            expect("lockedUntilMs", lock, told.locked_until_ms)
        expect("results", self._own_results(), told.results)

    def _own_results(self) -> wire.Results | None:
        if self.results is None:
            return None
        fields = {name: getattr(self.results, name) for name in wire.Results.__struct_fields__}
        return wire.Results(**fields)

    def _match_started(self, told: wire.MatchStarted) -> None:
        expect("game", self.game + 1, told.game)
        expect("players", {(0, 0, 0)}, set(map(tally, told.players)))
        self.game, self.options, self.results = told.game, told.options, None
        self.players = {player.seat: player for player in told.players}
        self.slots, self._dealt, self.cards_remaining = {}, [], CARDS
        self._place(told.slots)
        expect("slots", list(range(FIRST_BOARD)), sorted(self.slots))
        expect("cardsRemaining", self.cards_remaining, told.cards_remaining)
        self.board_version = told.board_version
        self.locked_until_ms = told.locked_until_ms or 0

    def _claim_result(self, told: wire.ClaimResult) -> None:
        claimant = self.players[told.seat]
        first, second, third = told.card_ids
        cards = (first, second, third)
        own = referee.judge(self.board, cards, claimant, self._options)
        judged = (told.valid, told.reason, told.mixed_attribute, told.message, told.score_delta)
        expect("valid, reason, mixedAttribute, message, scoreDelta", own[:5], judged)
        expect("userId", claimant.user_id, told.user_id)
        self._update_player(referee.after(claimant, own), told.player)
        if own.valid:
            self._take(cards, told)
        else:
            expect("slots", [], told.slots)
        expect("boardVersion", self.board_version, told.board_version)
        expect("cardsRemaining", self.cards_remaining, told.cards_remaining)

    def _take(self, cards: Triple, told: wire.ClaimResult) -> None:
        """Take a Set off the board and put what comes instead."""
        emptied = sorted(index for index, card in self.slots.items() if card in cards)
        expect("slots", emptied, [slot.index for slot in told.slots])
        refilled = self.cards_remaining >= DEALT_AT_ONCE
        expect("slots", refilled, all(slot.card_id is not None for slot in told.slots))
        self.slots.update(dict.fromkeys(emptied))
        self._place(told.slots)
        self.board_version += 1
        self.locked_until_ms, self._expanding = told.locked_until_ms, False
        animation = self._options.animation_ms
        begun_ms = told.locked_until_ms - animation.valid_set - animation.refill
        if self.sets or self.cards_remaining >= DEALT_AT_ONCE:
            expect("phase", self.phase_at(begun_ms), told.phase)

    def _board_expanded(self, told: wire.BoardExpanded) -> None:
        expect("sets on the board", [], self.sets)
        new = range(len(self.slots), len(self.slots) + DEALT_AT_ONCE)
        expect("slots", list(new), [slot.index for slot in told.slots])
        self._place(told.slots)
        expect("cardsRemaining", self.cards_remaining, told.cards_remaining)
        self.board_version += 1
        expect("boardVersion", self.board_version, told.board_version)
        self.locked_until_ms, self._expanding = told.locked_until_ms, True

    def _player_changed(self, told: wire.PlayerChanged) -> None:
        player = told.player
        if told.change in {Change.FORFEITED, Change.KICKED} and not self.playing:
            self.forget()  # later seats move up; a snapshot follows that says how
            return
        if player.seat not in self.players:
            expect("change, seat", (Change.JOINED, len(self.players)), (told.change, player.seat))
        else:
            expect("player", tally(self.players[player.seat]), tally(player))
        if told.change in _STATUS_AFTER and not self._is_out(player.seat):
            expect("status", _STATUS_AFTER[told.change], player.status)
        self.players[player.seat] = player

    def _is_out(self, seat: int) -> bool:
        return seat in self.players and self.players[seat].status == Status.FORFEITED

    def _match_ended(self, told: wire.MatchEnded) -> None:
        if self.playing:
            self._check_end(told)
        self.results = told
        self.players = {line.player.seat: line.player for line in told.standings} or self.players

    def _check_end(self, told: wire.MatchEnded) -> None:
        own = lasting(without_window(player) for player in self.players.values())
        expect("standings", own, lasting(line.player for line in told.standings))
        ranks = [(line.rank, line.player.seat) for line in told.standings]
        expect("standings", referee.standings(self.players.values(), self._options), ranks)
        expect("winnerSeat, draw", referee.winner(told.reason, told.standings), (told.winner_seat, told.draw))
        expect("deck", list(range(CARDS)), sorted(told.deck))
        if self._dealt:
            expect("deck", sorted(self._dealt), sorted(told.deck[: CARDS - self.cards_remaining]))
        if told.reason == End.DECK_EXHAUSTED:
            expect("sets on the board", [], self.sets)
            expect("cardsRemaining", min(self.cards_remaining, DEALT_AT_ONCE - 1), self.cards_remaining)

    def _service_status(self, told: wire.ServiceStatus) -> None:
        self.paused = told.paused

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

    def _update_player(self, own: wire.Player, told: wire.Player) -> None:
        expect("player", lasting([own]), lasting([told]))
        self.players[own.seat] = told
