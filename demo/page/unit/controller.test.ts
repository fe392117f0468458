import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MatchController } from "../src/app/controller";
import { emptyState } from "../src/app/state";
import { Store } from "../src/app/store";
import { fromSnapshot } from "../src/game/match";
import { DEFAULT_PREFERENCES } from "../src/game/options";
import type { Nakama } from "../src/net/nakama";
import { snapshot, started } from "./examples";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function localMatch(yourSeats: number[], selected: number[]) {
  const match = fromSnapshot(snapshot({ ...started().body, yourSeats }).body, 0);
  const state = emptyState("", { palette: "classic", marks: false, calm: false }, DEFAULT_PREFERENCES);
  const store = new Store({ ...state, match, selected });
  return { store, controller: new MatchController(store, {} as Nakama, () => 1e6) };
}

test("a zone claims the three selected cards for its player", () => {
  const { store, controller } = localMatch([0, 1], [1, 2, 3]);
  controller.claimFor(7);
  controller.claimFor(Number.NaN);
  expect(store.get().pending).toEqual([]);
  controller.claimFor(1);
  controller.claimFor(0);
  expect(store.get().pending).toMatchObject([{ seat: 1, cardIds: [1, 2, 3] }]);
});

test("a zone claims nothing with two selected cards", () => {
  const { store, controller } = localMatch([0, 1], [1, 2]);
  controller.claimFor(1);
  expect(store.get().pending).toEqual([]);
});
