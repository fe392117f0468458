import { useEffect, useReducer } from "preact/hooks";
import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import type { Store } from "../app/store";
import type { TableDesk } from "../app/table";
import { PALETTES } from "../game/palettes";
import { Stripes } from "./card";
import { LiveRegion } from "./live";
import { LobbyView } from "./lobby";
import { TableView } from "./table";

interface AppProps {
  readonly store: Store<AppState>;
  readonly lobby: Lobby;
  readonly table: TableDesk;
}

/** The page: the lobby, or the table that this tab is at. */
export function App({ store, lobby, table }: AppProps) {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => store.subscribe(() => again(undefined)), [store]);
  const state = store.get();
  const { palette, calm } = state.settings;
  return (
    <div class={calm ? "app calm" : "app"} style={colors(PALETTES[palette])}>
      <Stripes />
      {state.matchId === "" ? (
        <LobbyView state={state} lobby={lobby} />
      ) : (
        <TableView state={state} desk={table} lobby={lobby} />
      )}
      <LiveRegion state={state} />
    </div>
  );
}

function colors(palette: (typeof PALETTES)[keyof typeof PALETTES]): Record<string, string> {
  return Object.fromEntries(Object.entries(palette).map(([color, value]) => [`--${color}`, value]));
}
