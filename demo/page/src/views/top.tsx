import { useState } from "preact/hooks";
import type { Lobby } from "../app/lobby";
import type { Settings } from "../app/state";
import { Dialog } from "./dialog";
import { SettingsDialog } from "./settings";
import { Text } from "./text";

interface TopBarProps {
  readonly settings: Settings;
  readonly lobby: Lobby;
  readonly status?: string;
  readonly leaving?: { readonly forfeits: boolean; leave(): void };
}

/** The bar at the top: name of the game, status of the match, buttons for the display settings and to leave. */
export function TopBar({ settings, lobby, status = "", leaving }: TopBarProps) {
  const [open, setOpen] = useState<"" | "settings" | "leave">("");
  const close = () => setOpen("");
  return (
    <header class="top">
      <h1 class="brand">SET</h1>
      <p class="status">
        <Text>{status}</Text>
      </p>
      <nav aria-label="Menu">
        <button type="button" class="quiet" onClick={() => setOpen("settings")}>
          Display
        </button>
        {leaving && (
          <button
            type="button"
            class="quiet"
            onClick={() => (leaving.forfeits ? setOpen("leave") : leaving.leave())}
          >
            Leave
          </button>
        )}
      </nav>
      {open === "settings" && <SettingsDialog settings={settings} lobby={lobby} onClose={close} />}
      {open === "leave" && leaving && <LeaveDialog onLeave={() => leaving.leave()} onClose={close} />}
    </header>
  );
}

function LeaveDialog({ onLeave, onClose }: { onLeave(): void; onClose(): void }) {
  return (
    <Dialog title="Leave the game?" onClose={onClose}>
      <p>If you leave now, you forfeit the game. You can reload the page without a forfeit.</p>
      <form method="dialog" class="row">
        <button type="submit" class="primary">
          Stay
        </button>
        <button type="button" onClick={onLeave}>
          Leave
        </button>
      </form>
    </Dialog>
  );
}
