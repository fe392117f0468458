import { render } from "preact";
import { MatchController } from "./app/controller";
import { DailyChallenge } from "./app/daily";
import { Lobby } from "./app/lobby";
import { loadName, loadPreferences, loadSettings } from "./app/memory";
import { emptyState } from "./app/state";
import { Store } from "./app/store";
import { watchWake } from "./app/wake";
import { findNakama } from "./net/config";
import { claimIdentity } from "./net/identity";
import { type Account, Nakama } from "./net/nakama";
import { tabLock } from "./net/tabs";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/lobby.css";
import "./styles/match.css";
import "./styles/board.css";
import "./styles/result.css";
import "./styles/contrast.css";
import { App } from "./views/app";

/** Renders at once. The address of Nakama and the player of this tab follow. */
async function start(root: HTMLElement): Promise<void> {
  const identity = tabLock().then(claimIdentity);
  const account: Promise<Account> = Promise.all([findNakama(), identity]).then(([address, { deviceId }]) => ({
    address,
    deviceId,
  }));
  const store = new Store(emptyState(loadName(), loadSettings(), loadPreferences()));
  const nakama = new Nakama(account);
  const controller = new MatchController(store, nakama);
  const lobby = new Lobby(store, nakama, controller);
  const daily = new DailyChallenge(store, nakama);
  watchWake(() => controller.wake());
  lobby.show();
  root.textContent = "";
  render(<App store={store} lobby={lobby} controller={controller} daily={daily} />, root);
  await lobby.open(await identity);
}

const root = document.getElementById("app");
if (root !== null) {
  start(root).catch((problem: unknown) => {
    root.textContent = `The page could not start: ${String(problem)}`;
  });
}
