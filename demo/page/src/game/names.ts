/** Names of players inside other text. Direction marks in a name must not reorder the text around it. */

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/** Returns a name without direction marks. */
export function shownName(name: string): string {
  return name.replace(DIRECTION_MARKS, "");
}

/** Returns a name for a longer text, isolated from its direction. */
export function isolated(name: string): string {
  return FIRST_STRONG_ISOLATE + shownName(name) + POP_ISOLATE;
}
