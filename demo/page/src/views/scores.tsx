import { minutes } from "../game/clock";
import { nameOf } from "../game/narration";
import type { Seated, Table } from "../game/table";

/** Everybody at the table: points, Sets, mistakes, clocks, and who is away for how long. */
export function Scores({ table, nowMs }: { readonly table: Table; readonly nowMs: number }) {
  return (
    <section class="panel scores" aria-label="Players">
      <ol>
        {table.players.map((player) => (
          <li key={player.seat} class={rowClass(table, player)}>
            <span class="dot" data-seat={player.seat} aria-hidden="true" />
            <span class="who">
              <span class="name">{player.username}</span>
              <Note table={table} player={player} nowMs={nowMs} />
            </span>
            {player.clockEndsMs !== undefined && <Clock leftMs={leftOf(table, player.clockEndsMs, nowMs)} />}
            <span class="score">
              {player.score}
              <span class="unseen"> points</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function rowClass(table: Table, player: Seated): string {
  const yours = table.yourSeats.includes(player.seat) ? " is-you" : "";
  return `player ${player.status.replace("PLAYER_STATUS_", "is-").toLowerCase()}${yours}`;
}

/** At the end the clocks stand as the result tells them. */
function leftOf(table: Table, endsMs: number, nowMs: number): number {
  const ended = table.results === null ? nowMs : Math.min(nowMs, endsMs);
  return Math.max(0, endsMs - ended);
}

function Clock({ leftMs }: { readonly leftMs: number }) {
  return (
    <span
      class={leftMs < 30_000 ? "clock is-short" : "clock"}
      role="timer"
      aria-label={`${minutes(leftMs)} left`}
    >
      {minutes(leftMs)}
    </span>
  );
}

function Note({
  table,
  player,
  nowMs,
}: {
  readonly table: Table;
  readonly player: Seated;
  readonly nowMs: number;
}) {
  return <span class="note">{noteOf(table, player, nowMs)}</span>;
}

function noteOf(table: Table, player: Seated, nowMs: number): string {
  if (player.status === "PLAYER_STATUS_FORFEITED") return "out";
  if (player.status === "PLAYER_STATUS_DISCONNECTED") return awayNote(player, nowMs);
  if (table.phase === "PHASE_WAITING") return player.ready ? "ready" : "";
  return [tally(player), player.bot && "bot", nameOf(table, player.seat) === "You" && "you"]
    .filter(Boolean)
    .join(" · ");
}

function awayNote(player: Seated, nowMs: number): string {
  const { reconnectDeadlineMs } = player;
  return reconnectDeadlineMs === undefined
    ? "away"
    : `away, ${minutes(reconnectDeadlineMs - nowMs)} to come back`;
}

function tally({ setsCollected, invalidAttempts }: Seated): string {
  const sets = `${setsCollected} ${setsCollected === 1 ? "Set" : "Sets"}`;
  if (invalidAttempts === 0) return sets;
  return `${sets}, ${invalidAttempts} ${invalidAttempts === 1 ? "mistake" : "mistakes"}`;
}
