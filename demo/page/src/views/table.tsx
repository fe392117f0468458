import type { Lobby } from "../app/lobby";
import type { AppState } from "../app/state";
import type { TableDesk } from "../app/table";
import { minutes } from "../game/clock";
import { marked } from "../game/palettes";
import { nextChangeMs, shownSlots } from "../game/shown";
import { isLocked, isPlaying, type Table } from "../game/table";
import { Banners } from "./banners";
import { Board, Mat } from "./board";
import { NewsList } from "./news";
import { useMatchNow } from "./now";
import { ResultView } from "./result";
import { Scores } from "./scores";
import { TopBar } from "./top";
import { Waiting } from "./waiting";
import { useZoneKeys, Zones } from "./zones";

interface TableViewProps {
  readonly state: AppState;
  readonly desk: TableDesk;
  readonly lobby: Lobby;
}

/** The table, from taking a seat to the result. */
export function TableView({ state, desk, lobby }: TableViewProps) {
  const { table, link } = state;
  useZoneKeys(table, desk);
  const leaving = {
    forfeits: table !== null && isPlaying(table) && table.yourSeats.length > 0,
    leave: () => desk.leave(),
  };
  return (
    <div class="table">
      <TopBar
        settings={state.settings}
        lobby={lobby}
        middle={table ? summary(table) : ""}
        leaving={leaving}
      />
      <Banners state={state} desk={desk} />
      {link.at === "over" ? (
        <Gone why={link.why} onLeave={() => desk.leave()} />
      ) : (
        table && <Seats state={state} table={table} desk={desk} />
      )}
      {table === null && link.at !== "over" && <main class="panel waiting">Joining the table…</main>}
    </div>
  );
}

function Seats({
  state,
  table,
  desk,
}: {
  readonly state: AppState;
  readonly table: Table;
  readonly desk: TableDesk;
}) {
  const nowMs = useMatchNow(table);
  return (
    <div class="seats">
      <main class="middle-of-table">
        <Middle state={state} table={table} desk={desk} nowMs={nowMs} />
      </main>
      <aside aria-label="Scores and events">
        <Scores table={table} nowMs={nowMs} />
        {table.results === null && <Actions state={state} table={table} desk={desk} />}
        <NewsList news={state.news} marks={marked(state.settings.palette, state.settings.marks)} />
      </aside>
    </div>
  );
}

interface MiddleProps {
  readonly state: AppState;
  readonly table: Table;
  readonly desk: TableDesk;
  readonly nowMs: number;
}

function Middle({ state, table, desk, nowMs }: MiddleProps) {
  if (table.results !== null && nowMs >= table.lockedUntilMs)
    return <ResultView state={state} table={table} desk={desk} nowMs={nowMs} />;
  if (table.phase === "PHASE_WAITING")
    return <Waiting table={table} matchId={state.matchId} desk={desk} nowMs={nowMs} />;
  const shared = table.yourSeats.length > 1;
  return (
    <>
      {shared && <Zones table={table} call={state.call} desk={desk} side="far" />}
      <Mat slots={table.slots.length} class={lookOf(state, table, nowMs)} times={table.options.animationMs}>
        <Board
          slots={shownSlots(table, nowMs)}
          picked={state.picked}
          hint={state.hint}
          marks={marked(state.settings.palette, state.settings.marks)}
          label="Board"
          onTouch={(card) => desk.touch(card)}
          onEscape={() => desk.deselect()}
        />
        <Verdict table={table} nowMs={nowMs} />
      </Mat>
      {shared && <Zones table={table} call={state.call} desk={desk} side="near" />}
    </>
  );
}

/** How the board looks: open for claims, or standing still because nobody is there to judge them. */
function lookOf(state: AppState, table: Table, nowMs: number): string {
  if (table.paused || state.link.at !== "joined") return "is-paused";
  const free = table.yourSeats.some((seat) => !isLocked(table, seat, nowMs));
  return free && nextChangeMs(table, nowMs) === undefined && state.pending.length === 0 ? "is-open" : "";
}

/** Why the last claim was no Set, over the board for as long as it is shown. */
function Verdict({ table, nowMs }: { readonly table: Table; readonly nowMs: number }) {
  const refused = table.showings.find((shown) => !shown.valid && shown.untilMs > nowMs);
  const mine = refused !== undefined && table.yourSeats.includes(refused.seat);
  return mine ? <p class="verdict">{refused.message}</p> : null;
}

function Actions({
  state,
  table,
  desk,
}: {
  readonly state: AppState;
  readonly table: Table;
  readonly desk: TableDesk;
}) {
  if (!isPlaying(table) || table.yourSeats.length === 0) return null;
  return (
    <div class="row actions">
      {table.options.hints && (
        <button type="button" onClick={() => desk.hint()}>
          Hint
        </button>
      )}
      <button type="button" disabled={state.picked.length === 0} onClick={() => desk.deselect()}>
        Deselect
      </button>
    </div>
  );
}

function Gone({ why, onLeave }: { readonly why: string; onLeave(): void }) {
  return (
    <main class="panel waiting">
      <h2>This table is not to be had</h2>
      <p>The match said: {why}.</p>
      <button type="button" class="primary" onClick={onLeave}>
        To the lobby
      </button>
    </main>
  );
}

function summary(table: Table): string {
  const parts = [table.phase !== "PHASE_WAITING" && `${table.cardsRemaining} to come`, limit(table)];
  if (table.yourSeats.length === 0) parts.push("you are watching");
  return parts.filter(Boolean).join(" · ");
}

function limit({ options }: Table): string {
  return options.timeLimitSeconds > 0 ? `${minutes(options.timeLimitSeconds * 1000)} game` : "";
}
