import { useEffect } from "preact/hooks";
import type { MatchController } from "../app/controller";
import type { Call } from "../app/state";
import type { MatchModel, MatchPlayer } from "../game/match";

interface ZonesProps {
  readonly match: MatchModel;
  readonly call: Call | null;
  readonly controller: MatchController;
  readonly side: "near" | "far";
}

/** Buttons for local players to call "Set": half of the players on each side of the board. */
export function Zones({ match, call, controller, side }: ZonesProps) {
  const half = Math.ceil(match.players.length / 2);
  const here = side === "near" ? match.players.slice(0, half) : match.players.slice(half);
  return (
    <div class={`zones is-${side}`}>
      {here.map((player) => (
        <Zone key={player.seat} player={player} call={call} onCall={() => controller.call(player.seat)} />
      ))}
    </div>
  );
}

interface ZoneProps {
  readonly player: MatchPlayer;
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
        {calling ? `select three: ${left} s` : `${player.score} · press ${player.seat + 1}`}
      </span>
    </button>
  );
}

/** Handles the digit keys as calls of the local players. */
export function useZoneKeys(match: MatchModel | null, controller: MatchController): void {
  const shared = (match?.yourSeats.length ?? 0) > 1;
  useEffect(() => {
    if (!shared) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const seat = Number(event.key) - 1;
      if (!event.ctrlKey && !event.altKey && !event.metaKey) controller.call(seat);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [shared, controller]);
}
