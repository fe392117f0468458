import type { Lobby } from "../app/lobby";
import type { Settings } from "../app/state";
import { PALETTE_TITLES, type PaletteName, showsMarks } from "../game/palettes";
import { CardFace } from "./card";
import { Dialog } from "./dialog";

/** Ids of three cards with all colors, shapes and shadings. */
const SAMPLES = [9, 40, 71];

interface SettingsProps {
  readonly settings: Settings;
  readonly lobby: Lobby;
  onClose(): void;
}

/** Dialog for the colors of the cards and reduced motion. */
export function SettingsDialog({ settings, lobby, onClose }: SettingsProps) {
  return (
    <Dialog title="Display" onClose={onClose}>
      <p class="samples">
        {SAMPLES.map((id) => (
          <span key={id} class="card">
            <CardFace id={id} marks={showsMarks(settings.palette, settings.marks)} />
          </span>
        ))}
      </p>
      <fieldset>
        <legend>Colors</legend>
        {(Object.keys(PALETTE_TITLES) as PaletteName[]).map((name) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="palette"
              checked={settings.palette === name}
              onChange={() => lobby.setSettings({ palette: name })}
            />
            {PALETTE_TITLES[name]}
          </label>
        ))}
      </fieldset>
      <Switch
        label="Show the color as a letter on each card"
        on={settings.marks}
        onChange={(marks) => lobby.setSettings({ marks })}
      />
      <Switch label="Reduce motion" on={settings.calm} onChange={(calm) => lobby.setSettings({ calm })} />
      <form method="dialog">
        <button type="submit" class="primary">
          Done
        </button>
      </form>
    </Dialog>
  );
}

function Switch({
  label,
  on,
  onChange,
}: {
  readonly label: string;
  readonly on: boolean;
  onChange(on: boolean): void;
}) {
  return (
    <label class="choice">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
