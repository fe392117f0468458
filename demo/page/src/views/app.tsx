import { useEffect, useReducer } from "preact/hooks";
import type { MatchController } from "../app/controller";
import type { DailyChallenge } from "../app/daily";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import type { Store } from "../app/store";
import { PALETTES } from "../game/palettes";
import { Stripes } from "./card";
import { LiveRegion } from "./live";
import { LobbyView } from "./lobby";
import { MatchView } from "./match";
import { ignoreHeldKeys } from "./press";

interface AppProps {
  readonly store: Store<AppState>;
  readonly lobby: Lobby;
  readonly controller: MatchController;
  readonly daily: DailyChallenge;
}

/** The page: shows the lobby, or the match of this tab. */
export function App({ store, lobby, controller, daily }: AppProps) {
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => store.subscribe(() => render(undefined)), [store]);
  const state = store.get();
  const { palette, calm } = state.settings;
  return (
    <div
      class={calm ? "app calm" : "app"}
      style={colors(PALETTES[palette])}
      onKeyDownCapture={ignoreHeldKeys}
    >
      <Stripes />
      {!state.opening && <CurrentView state={state} lobby={lobby} controller={controller} daily={daily} />}
      <LiveRegion state={state} />
    </div>
  );
}

function CurrentView({ state, ...parts }: Omit<AppProps, "store"> & { readonly state: AppState }) {
  return state.matchId === "" ? (
    <LobbyView state={state} {...parts} />
  ) : (
    <MatchView state={state} {...parts} />
  );
}

function colors(palette: (typeof PALETTES)[keyof typeof PALETTES]): Record<string, string> {
  return Object.fromEntries(Object.entries(palette).map(([color, value]) => [`--${color}`, value]));
}
