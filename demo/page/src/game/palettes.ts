/** Colors of the symbols. All contrast with the card; those of `safe` and `mono` work with color blindness. */

import type { Color } from "./cards";

export type PaletteName = "classic" | "safe" | "mono";

type Palette = Readonly<Record<Color, string>>;

/** Background of a card, in every theme. */
export const CARD_FACE = "#fffefa";

export const PALETTES: Readonly<Record<PaletteName, Palette>> = {
  classic: { red: "#d21f3c", green: "#0b8043", purple: "#5e2a9c" },
  safe: { red: "#d55e00", green: "#00785a", purple: "#3b2a8c" },
  mono: { red: "#222222", green: "#222222", purple: "#222222" },
};

export const PALETTE_TITLES: Readonly<Record<PaletteName, string>> = {
  classic: "Classic",
  safe: "Color-blind safe",
  mono: "Black, with letters",
};

/** Letter in the corner of a card for its color, if marks are on. */
export const MARKS: Readonly<Record<Color, string>> = { red: "R", green: "G", purple: "P" };

/** Returns whether cards show a letter for their color: if enabled, and always in the palette with one color. */
export function showsMarks(palette: PaletteName, enabled: boolean): boolean {
  return enabled || palette === "mono";
}
