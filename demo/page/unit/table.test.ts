import { describe, expect, test } from "vitest";
import { apply } from "../src/game/apply";
import { matchNow } from "../src/game/clock";
import { shownSlots } from "../src/game/shown";
import { isLocked, isPlaying, playerIn, rematchLeftMs, type Table } from "../src/game/table";
import { Op } from "../src/protocol/vocabulary";
import { ended, expanded, invalidClaim, playerChanged, snapshot, started, validClaim } from "./examples";

const MEMBER = 10_000;

function heard(...messages: Parameters<typeof apply>[1][]): Table {
  const table = messages.reduce<Table | null>((before, message) => apply(before, message, MEMBER), null);
  if (table === null) throw new Error("there is no table");
  return table;
}

/** Just before the first claim of the documentation: Ann's own snapshot, with the numbers of MATCH_STARTED. */
function dealt(): Table {
  return heard(snapshot({ ...started().body, yourSeats: [0] }));
}

function cards(table: Table): (number | null)[] {
  return [...table.slots];
}

describe("messages to all are numbered", () => {
  test("the next one counts", () => {
    expect(apply(dealt(), invalidClaim({ seq: 4 }), MEMBER)?.seq).toBe(4);
  });

  test("one that comes twice changes nothing", () => {
    const table = heard(snapshot({ ...started().body, yourSeats: [0] }), validClaim({ seq: 4 }));
    expect(apply(table, validClaim({ seq: 4 }), MEMBER)).toBe(table);
  });

  test("after a gap only a snapshot counts", () => {
    const behind = apply(dealt(), validClaim({ seq: 9 }), MEMBER);
    expect(behind?.behind).toBe(true);
    expect(cards(behind as Table)).toEqual(cards(dealt()));
    expect(apply(behind, validClaim({ seq: 4 }), MEMBER)).toBe(behind);
    expect(apply(behind, snapshot(), MEMBER)?.behind).toBe(false);
  });

  test("before the first snapshot nothing counts", () => {
    expect(apply(null, started(), MEMBER)).toBeNull();
  });
});

describe("a valid claim", () => {
  const table = heard(snapshot({ ...started().body, yourSeats: [0] }), validClaim({ seq: 4 }));
  const judgedMs = 3850 - 400 - 300;

  test("puts new cards into the same slots and counts them", () => {
    expect([0, 4, 10].map((index) => table.slots[index])).toEqual([29, 69, 22]);
    expect(table.cardsRemaining).toBe(66);
    expect(playerIn(table, 0)?.score).toBe(1);
  });

  test("locks everybody until the match says", () => {
    expect(isLocked(table, 1, 3849)).toBe(true);
    expect(isLocked(table, 1, 3850)).toBe(false);
  });

  test("sets the clock by the moment at which it was judged", () => {
    expect(matchNow(table.clock, MEMBER)).toBe(judgedMs);
  });

  test("shows the Set, then the new cards, then nothing special", () => {
    const look = (nowMs: number) => [0, 4, 10].map((index) => shownSlots(table, nowMs)[index]);
    expect(look(judgedMs).map((slot) => slot?.cardId)).toEqual([71, 68, 65]);
    expect(new Set(look(judgedMs + 399).map((slot) => slot?.mark))).toEqual(new Set(["taken"]));
    expect(look(judgedMs + 400).map((slot) => slot?.cardId)).toEqual([29, 69, 22]);
    expect(new Set(look(judgedMs + 400).map((slot) => slot?.mark))).toEqual(new Set(["dealt"]));
    expect(new Set(look(3850).map((slot) => slot?.mark))).toEqual(new Set(["plain"]));
  });

  test("without cards to come leaves the slots empty", () => {
    const slots = [0, 4, 10].map((index) => ({ index }));
    const emptied = heard(snapshot({ ...started().body, yourSeats: [0] }), validClaim({ seq: 4, slots }));
    expect([0, 4, 10].map((index) => emptied.slots[index])).toEqual([null, null, null]);
  });
});

describe("an invalid claim", () => {
  const table = apply(dealt(), invalidClaim({ seq: 4 }), MEMBER) as Table;

  test("leaves the board and locks the claimant only", () => {
    expect(cards(table)).toEqual(cards(dealt()));
    expect(isLocked(table, 1, 3449)).toBe(true);
    expect(isLocked(table, 0, 3449)).toBe(false);
    expect(isLocked(table, 1, 3450)).toBe(false);
  });

  test("marks its cards for as long as it is shown", () => {
    const marked = (nowMs: number) => shownSlots(table, nowMs).filter((slot) => slot.mark === "refused");
    expect(marked(3449).map((slot) => slot.cardId)).toEqual([71, 41, 72]);
    expect(marked(3450)).toEqual([]);
  });

  test("takes its penalty off the claimant's clock", () => {
    expect(playerIn(table, 1)?.clockEndsMs).toBe(3050 + 592_950);
  });
});

test("an expansion adds three slots at the end", () => {
  const table = apply(dealt(), expanded({ seq: 4 }), MEMBER) as Table;
  expect(table.slots.length).toBe(15);
  expect(table.slots.slice(12)).toEqual([47, 7, 38]);
  expect(isLocked(table, 0, 28_649)).toBe(true);
});

describe("players", () => {
  test("come, and leave before the start", () => {
    const waiting = heard(
      snapshot({ seq: 0, phase: "PHASE_WAITING", players: [], slots: [], yourSeats: [] }),
      playerChanged(),
    );
    expect(waiting.players.map((player) => player.username)).toEqual(["Ann"]);
    const left = playerChanged({ seq: 2, change: "PLAYER_CHANGE_FORFEITED" });
    expect(apply(waiting, left, MEMBER)?.players).toEqual([]);
  });

  test("who forfeits in a game stays on the list", () => {
    const gone = { ...playerChanged().body.player, status: "PLAYER_STATUS_FORFEITED" };
    const left = playerChanged({ seq: 4, player: gone, change: "PLAYER_CHANGE_FORFEITED" });
    expect(apply(dealt(), left, MEMBER)?.players.length).toBe(2);
  });
});

describe("the end and what follows", () => {
  const over = apply(dealt(), ended({ seq: 4 }), MEMBER) as Table;

  test("the result is kept and no game is on", () => {
    expect(over.results?.winnerSeat).toBe(0);
    expect(over.results).not.toHaveProperty("seq");
    expect(isPlaying(over)).toBe(false);
  });

  test("a rematch can be asked for as long as the match stays", () => {
    expect(rematchLeftMs(dealt(), 1000)).toBe(0);
    expect(rematchLeftMs(over, 1000)).toBe(30_000);
    expect(rematchLeftMs(over, 31_000)).toBe(0);
    const later = snapshot({ ...started().body, seq: 4, nowMs: 9000, yourSeats: [0], results: over.results });
    expect(rematchLeftMs(apply(over, later, MEMBER + 8000) as Table, 9000)).toBe(22_000);
  });

  test("another game begins with the same seats and without the result", () => {
    const again = apply(over, started({ seq: 5, game: 2 }), MEMBER) as Table;
    expect([again.game, again.results, again.yourSeats]).toEqual([2, null, [0]]);
    expect(isPlaying(again)).toBe(true);
  });
});

test("while the referee is away the match clock stands still", () => {
  const status = (paused: boolean) => ({ op: Op.SERVICE_STATUS, body: { paused, closed: false } }) as const;
  const away = apply(dealt(), status(true), MEMBER + 500) as Table;
  expect(matchNow(away.clock, MEMBER + 9000)).toBe(1500);
  const back = apply(away, status(false), MEMBER + 9000) as Table;
  expect(matchNow(back.clock, MEMBER + 9100)).toBe(1600);
  expect(back.paused).toBe(false);
});

test("a snapshot of the same moment does not cut short what is shown", () => {
  const shown = apply(dealt(), invalidClaim({ seq: 4 }), MEMBER) as Table;
  const same = apply(shown, snapshot({ ...started().body, seq: 4, yourSeats: [0] }), MEMBER) as Table;
  expect(same.showings).toBe(shown.showings);
});
