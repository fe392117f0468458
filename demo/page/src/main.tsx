import { render } from "preact";
import { MatchController } from "./app/controller";
import { Lobby } from "./app/lobby";
import { loadName, loadPreferences, loadSettings } from "./app/memory";
import { emptyState } from "./app/state";
import { Store } from "./app/store";
import { findNakama } from "./net/config";
import { claimIdentity } from "./net/identity";
import { Nakama } from "./net/nakama";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/lobby.css";
import "./styles/match.css";
import "./styles/board.css";
import "./styles/result.css";
import { App } from "./views/app";

async function start(root: HTMLElement): Promise<void> {
  const [address, identity] = await Promise.all([findNakama(), claimIdentity()]);
  const store = new Store(emptyState(loadName(), loadSettings(), loadPreferences()));
  const nakama = new Nakama(address, identity.deviceId);
  const controller = new MatchController(store, nakama);
  const lobby = new Lobby(store, nakama, controller);
  lobby.open(identity.returning);
  render(<App store={store} lobby={lobby} controller={controller} />, root);
}

const root = document.getElementById("app");
if (root !== null) {
  start(root).catch((problem: unknown) => {
    root.textContent = `The page could not start: ${String(problem)}`;
  });
}
