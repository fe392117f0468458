import { useEffect } from "preact/hooks";
import type { Call } from "../app/state";
import type { TableDesk } from "../app/table";
import type { Seated, Table } from "../game/table";

interface ZonesProps {
  readonly table: Table;
  readonly call: Call | null;
  readonly desk: TableDesk;
  readonly side: "near" | "far";
}

/** Where players at one screen call "Set": half of them on this side of the board, half on the other. */
export function Zones({ table, call, desk, side }: ZonesProps) {
  const half = Math.ceil(table.players.length / 2);
  const here = side === "near" ? table.players.slice(0, half) : table.players.slice(half);
  return (
    <div class={`zones is-${side}`}>
      {here.map((player) => (
        <Zone key={player.seat} player={player} call={call} onCall={() => desk.call(player.seat)} />
      ))}
    </div>
  );
}

interface ZoneProps {
  readonly player: Seated;
  readonly call: Call | null;
  onCall(): void;
}

function Zone({ player, call, onCall }: ZoneProps) {
  const calling = call?.seat === player.seat;
  const left = calling ? Math.max(0, Math.ceil((call.untilMs - performance.now()) / 1000)) : 0;
  return (
    <button
      type="button"
      class={calling ? "zone is-calling" : "zone"}
      data-seat={player.seat}
      aria-pressed={calling}
      disabled={call !== null && !calling}
      onClick={onCall}
    >
      <span class="name">{player.username}</span>
      <span class="note">
        {calling ? `choose three: ${left} s` : `${player.score} · press ${player.seat + 1}`}
      </span>
    </button>
  );
}

/** Lets the digit keys call for the players at this screen. */
export function useZoneKeys(table: Table | null, desk: TableDesk): void {
  const shared = (table?.yourSeats.length ?? 0) > 1;
  useEffect(() => {
    if (!shared) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const seat = Number(event.key) - 1;
      if (!event.ctrlKey && !event.altKey && !event.metaKey && seat >= 0 && seat < 8) desk.call(seat);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [shared, desk]);
}
