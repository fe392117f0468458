/** Colours of the symbols. Every palette stands out from the card; the safe ones also from each other for colour-blind eyes. */

import type { Color } from "./cards";

export type PaletteName = "classic" | "safe" | "mono";

export type Palette = Readonly<Record<Color, string>>;

/** The face of a card, in every theme. */
export const CARD_FACE = "#fffefa";

export const PALETTES: Readonly<Record<PaletteName, Palette>> = {
  classic: { red: "#d21f3c", green: "#0b8043", purple: "#5e2a9c" },
  safe: { red: "#d55e00", green: "#00785a", purple: "#3b2a8c" },
  mono: { red: "#222222", green: "#222222", purple: "#222222" },
};

export const PALETTE_TITLES: Readonly<Record<PaletteName, string>> = {
  classic: "Classic",
  safe: "Colour-blind safe",
  mono: "Black, with letters",
};

/** What the corner of a card says about its colour when marks are on. */
export const MARKS: Readonly<Record<Color, string>> = { red: "R", green: "G", purple: "P" };

/** Returns whether cards carry a letter for their colour: if asked for, and always where colours do not differ. */
export function marked(palette: PaletteName, asked: boolean): boolean {
  return asked || palette === "mono";
}
