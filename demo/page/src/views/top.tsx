import { useState } from "preact/hooks";
import type { Lobby } from "../app/lobby";
import type { Settings } from "../app/state";
import { Dialog } from "./dialog";
import { SettingsDialog } from "./settings";

interface TopBarProps {
  readonly settings: Settings;
  readonly lobby: Lobby;
  readonly middle?: string;
  readonly leaving?: { readonly forfeits: boolean; leave(): void };
}

/** The bar at the top: the name of the game, the state of the table, display, the way out. */
export function TopBar({ settings, lobby, middle = "", leaving }: TopBarProps) {
  const [open, setOpen] = useState<"" | "settings" | "leave">("");
  const close = () => setOpen("");
  return (
    <header class="top">
      <h1 class="brand">SET</h1>
      <p class="middle">{middle}</p>
      <nav aria-label="Table">
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
      <p>The game is running: leaving gives it up. A lost connection or a reload does not.</p>
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
