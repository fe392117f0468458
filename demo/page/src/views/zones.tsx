import { useEffect } from "preact/hooks";
import type { MatchController } from "../app/controller";
import type { MatchModel, MatchPlayer } from "../game/match";
import { pressHandlers } from "./press";
import { Name, Text } from "./text";

interface ZonesProps {
  readonly match: MatchModel;
  readonly controller: MatchController;
  readonly side: "near" | "far";
}

/** Claim zones of the local players: half of the players on each side of the board. */
export function Zones({ match, controller, side }: ZonesProps) {
  const half = Math.ceil(match.players.length / 2);
  const here = side === "near" ? match.players.slice(0, half) : match.players.slice(half);
  return (
    <div class={`zones is-${side}`}>
      {here.map((player) => (
        <Zone key={player.seat} player={player} onClaim={() => controller.claimFor(player.seat)} />
      ))}
    </div>
  );
}

interface ZoneProps {
  readonly player: MatchPlayer;
  onClaim(): void;
}

/** Claims the three selected cards for its player. */
function Zone({ player, onClaim }: ZoneProps) {
  return (
    <button type="button" class="zone" data-seat={player.seat} {...pressHandlers(onClaim)}>
      <span class="name">
        <Name>{player.username}</Name>
      </span>
      <span class="note">
        <Text>{`${player.score} · key ${player.seat + 1}`}</Text>
      </span>
    </button>
  );
}

const DIGIT = /^(?:Digit|Numpad)([1-9])$/;

/** Handles the digit keys of every keyboard layout as taps of the claim zones. */
export function useZoneKeys(match: MatchModel | null, controller: MatchController): void {
  const shared = (match?.yourSeats.length ?? 0) > 1;
  useEffect(() => {
    if (!shared) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const digit = DIGIT.exec(event.code)?.[1];
      if (digit === undefined || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      controller.claimFor(Number(digit) - 1);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [shared, controller]);
}
