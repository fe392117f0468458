import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MatchController } from "../src/app/controller";
import { emptyState } from "../src/app/state";
import { Store } from "../src/app/store";
import { fromSnapshot } from "../src/game/match";
import type { Nakama } from "../src/net/nakama";
import { snapshot, started } from "./examples";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("only local players can call", () => {
  const match = fromSnapshot(snapshot({ ...started().body, yourSeats: [0, 1] }).body, 0);
  const state = emptyState("", { palette: "classic", marks: false, calm: false }, {});
  const store = new Store({ ...state, match });
  const controller = new MatchController(store, {} as Nakama, () => 0);
  controller.call(7);
  controller.call(Number.NaN);
  expect(store.get().call).toBeNull();
  controller.call(1);
  expect(store.get().call?.seat).toBe(1);
});
