import { describe, expect, test } from "vitest";
import { apply } from "../src/game/apply";
import { matchNow } from "../src/game/clock";
import {
  clockLeftMs,
  isLocked,
  isPlaying,
  type MatchModel,
  playerIn,
  rematchLeftMs,
} from "../src/game/match";
import { shownSlots } from "../src/game/shown";
import { Op } from "../src/protocol/vocabulary";
import { ended, expanded, invalidClaim, playerChanged, snapshot, started, validClaim } from "./examples";

const LOCAL_MS = 10_000;

function applyAll(...messages: Parameters<typeof apply>[1][]): MatchModel {
  const match = messages.reduce<MatchModel | null>(
    (before, message) => apply(before, message, LOCAL_MS),
    null,
  );
  if (match === null) throw new Error("there is no model");
  return match;
}

/** Returns Ann's model before the first example claim: a snapshot with the fields of MATCH_STARTED. */
function dealt(): MatchModel {
  return applyAll(snapshot({ ...started().body, yourSeats: [0] }));
}

function cards(match: MatchModel): (number | null)[] {
  return [...match.slots];
}

describe("numbered messages", () => {
  test("the next number is applied", () => {
    expect(apply(dealt(), invalidClaim({ seq: 4 }), LOCAL_MS)?.seq).toBe(4);
  });

  test("a duplicate has no effect", () => {
    const match = applyAll(snapshot({ ...started().body, yourSeats: [0] }), validClaim({ seq: 4 }));
    expect(apply(match, validClaim({ seq: 4 }), LOCAL_MS)).toBe(match);
  });

  test("after a gap only a snapshot is applied", () => {
    const behind = apply(dealt(), validClaim({ seq: 9 }), LOCAL_MS);
    expect(behind?.behind).toBe(true);
    expect(cards(behind as MatchModel)).toEqual(cards(dealt()));
    expect(apply(behind, validClaim({ seq: 4 }), LOCAL_MS)).toBe(behind);
    expect(apply(behind, snapshot(), LOCAL_MS)?.behind).toBe(false);
  });

  test("messages before the first snapshot are ignored", () => {
    expect(apply(null, started(), LOCAL_MS)).toBeNull();
  });
});

describe("a valid claim", () => {
  const match = applyAll(snapshot({ ...started().body, yourSeats: [0] }), validClaim({ seq: 4 }));
  const judgedMs = 3850 - 400 - 300;

  test("refills the same slots and updates counts", () => {
    expect([0, 4, 10].map((index) => match.slots[index])).toEqual([29, 69, 22]);
    expect(match.cardsRemaining).toBe(66);
    expect(playerIn(match, 0)?.score).toBe(1);
  });

  test("locks the board until lockedUntilMs", () => {
    expect(isLocked(match, 1, 3849)).toBe(true);
    expect(isLocked(match, 1, 3850)).toBe(false);
  });

  test("sets the match clock to the time of the claim", () => {
    expect(matchNow(match.clock, LOCAL_MS)).toBe(judgedMs);
  });

  test("shows the Set, then the new cards, then no animation", () => {
    const slotsAt = (nowMs: number) => [0, 4, 10].map((index) => shownSlots(match, nowMs)[index]);
    expect(slotsAt(judgedMs).map((slot) => slot?.cardId)).toEqual([71, 68, 65]);
    expect(new Set(slotsAt(judgedMs + 399).map((slot) => slot?.mark))).toEqual(new Set(["taken"]));
    expect(slotsAt(judgedMs + 400).map((slot) => slot?.cardId)).toEqual([29, 69, 22]);
    expect(new Set(slotsAt(judgedMs + 400).map((slot) => slot?.mark))).toEqual(new Set(["dealt"]));
    expect(new Set(slotsAt(3850).map((slot) => slot?.mark))).toEqual(new Set(["plain"]));
  });

  test("leaves the slots empty if the deck is empty", () => {
    const slots = [0, 4, 10].map((index) => ({ index }));
    const emptied = applyAll(snapshot({ ...started().body, yourSeats: [0] }), validClaim({ seq: 4, slots }));
    expect([0, 4, 10].map((index) => emptied.slots[index])).toEqual([null, null, null]);
  });
});

describe("an invalid claim", () => {
  const match = apply(dealt(), invalidClaim({ seq: 4 }), LOCAL_MS) as MatchModel;

  test("keeps the board and locks only the claiming player", () => {
    expect(cards(match)).toEqual(cards(dealt()));
    expect(isLocked(match, 1, 3449)).toBe(true);
    expect(isLocked(match, 0, 3449)).toBe(false);
    expect(isLocked(match, 1, 3450)).toBe(false);
  });

  test("marks its cards during the animation", () => {
    const marked = (nowMs: number) => shownSlots(match, nowMs).filter((slot) => slot.mark === "invalid");
    expect(marked(3449).map((slot) => slot.cardId)).toEqual([71, 41, 72]);
    expect(marked(3450)).toEqual([]);
  });

  test("subtracts the time penalty from the player's clock", () => {
    expect(playerIn(match, 1)?.clockEndsMs).toBe(3050 + 592_950);
  });
});

test("an expansion adds three slots at the end", () => {
  const match = apply(dealt(), expanded({ seq: 4 }), LOCAL_MS) as MatchModel;
  expect(match.slots.length).toBe(15);
  expect(match.slots.slice(12)).toEqual([47, 7, 38]);
  expect(isLocked(match, 0, 28_649)).toBe(true);
});

describe("players", () => {
  test("join and leave before the start", () => {
    const waiting = applyAll(
      snapshot({ seq: 0, phase: "PHASE_WAITING", players: [], slots: [], yourSeats: [] }),
      playerChanged(),
    );
    expect(waiting.players.map((player) => player.username)).toEqual(["Ann"]);
    const left = playerChanged({ seq: 2, change: "PLAYER_CHANGE_FORFEITED" });
    expect(apply(waiting, left, LOCAL_MS)?.players).toEqual([]);
  });

  test("stay in the list after a forfeit in a game", () => {
    const forfeited = { ...playerChanged().body.player, status: "PLAYER_STATUS_FORFEITED" };
    const left = playerChanged({ seq: 4, player: forfeited, change: "PLAYER_CHANGE_FORFEITED" });
    expect(apply(dealt(), left, LOCAL_MS)?.players.length).toBe(2);
  });
});

describe("the end of a game", () => {
  const over = apply(dealt(), ended({ seq: 4 }), LOCAL_MS) as MatchModel;

  test("keeps the result", () => {
    expect(over.results?.winnerSeat).toBe(0);
    expect(over.results).not.toHaveProperty("seq");
    expect(isPlaying(over)).toBe(false);
  });

  test("stops the clocks, also after a later snapshot", () => {
    const clocksAt = (match: MatchModel, nowMs: number) =>
      match.players.map((player) => clockLeftMs(match, player, nowMs));
    expect(clocksAt(dealt(), 3000)).toEqual([598_000, 598_000]);
    expect(clocksAt(over, 9000)).toEqual([552_700, 547_700]);
    const { players, results } = over;
    const later = snapshot({ ...started().body, seq: 4, nowMs: 9000, yourSeats: [0], players, results });
    expect(clocksAt(apply(over, later, LOCAL_MS) as MatchModel, 12_000)).toEqual([552_700, 547_700]);
  });

  test("ends the countdowns of disconnected players", () => {
    const bob = { ...started().body.players[1], status: "PLAYER_STATUS_DISCONNECTED" };
    const change = "PLAYER_CHANGE_DISCONNECTED";
    const lost = playerChanged({ seq: 4, player: { ...bob, reconnectDeadlineMs: 31_000 }, change });
    const after = apply(apply(dealt(), lost, LOCAL_MS), ended({ seq: 5 }), LOCAL_MS) as MatchModel;
    expect(playerIn(after, 1)?.reconnectDeadlineMs).toBeUndefined();
  });

  test("allows a rematch until the match stops", () => {
    expect(rematchLeftMs(dealt(), 1000)).toBe(0);
    expect(rematchLeftMs(over, 1000)).toBe(30_000);
    expect(rematchLeftMs(over, 31_000)).toBe(0);
    const later = snapshot({ ...started().body, seq: 4, nowMs: 9000, yourSeats: [0], results: over.results });
    expect(rematchLeftMs(apply(over, later, LOCAL_MS + 8000) as MatchModel, 9000)).toBe(22_000);
  });

  test("a new game keeps the seats and clears the result", () => {
    const next = apply(over, started({ seq: 5, game: 2 }), LOCAL_MS) as MatchModel;
    expect([next.game, next.results, next.yourSeats]).toEqual([2, null, [0]]);
    expect(isPlaying(next)).toBe(true);
  });
});

test("the match clock stops during an outage", () => {
  const status = (isPaused: boolean) =>
    ({ op: Op.SERVICE_STATUS, body: { paused: isPaused, closed: false, restarting: false } }) as const;
  const paused = apply(dealt(), status(true), LOCAL_MS + 500) as MatchModel;
  expect(matchNow(paused.clock, LOCAL_MS + 9000)).toBe(1500);
  const resumed = apply(paused, status(false), LOCAL_MS + 9000) as MatchModel;
  expect(matchNow(resumed.clock, LOCAL_MS + 9100)).toBe(1600);
  expect(resumed.paused).toBe(false);
});

test("a snapshot with the same number keeps animations", () => {
  const shown = apply(dealt(), invalidClaim({ seq: 4 }), LOCAL_MS) as MatchModel;
  const same = apply(shown, snapshot({ ...started().body, seq: 4, yourSeats: [0] }), LOCAL_MS) as MatchModel;
  expect(same.shownClaims).toBe(shown.shownClaims);
});
