/** Values that are kept after a reload: name and settings in the browser, the match in the tab. */

import { DEFAULT_PREFERENCES, type Preferences } from "../game/options";
import { PALETTES } from "../game/palettes";
import { browserStorage, tabStorage } from "../net/storage";
import type { Settings } from "./state";

const NAME = "set.name";
const SETTINGS = "set.settings";
const PREFERENCES = "set.preferences";
const MATCH = "set.match";

export function loadName(): string {
  return tabStorage.get(NAME) ?? browserStorage.get(NAME) ?? "";
}

/** Saves the name for the tab too, because each tab is a different player. */
export function saveName(name: string): void {
  tabStorage.set(NAME, name);
  browserStorage.set(NAME, name);
}

export function loadSettings(): Settings {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const settings = load<Settings>(SETTINGS, { palette: "classic", marks: false, calm });
  return Object.hasOwn(PALETTES, settings.palette) ? settings : { ...settings, palette: "classic" };
}

export function saveSettings(settings: Settings): void {
  browserStorage.set(SETTINGS, JSON.stringify(settings));
}

export function loadPreferences(): Preferences {
  return load(PREFERENCES, DEFAULT_PREFERENCES);
}

export function savePreferences(preferences: Preferences): void {
  browserStorage.set(PREFERENCES, JSON.stringify(preferences));
}

/** Returns the match of this tab, or empty. */
export function loadMatch(): string {
  return tabStorage.get(MATCH) ?? "";
}

export function saveMatch(matchId: string): void {
  tabStorage.set(MATCH, matchId === "" ? null : matchId);
}

function load<T extends object>(key: string, defaults: T): T {
  try {
    return alike(JSON.parse(browserStorage.get(key) ?? "{}"), defaults);
  } catch {
    return defaults;
  }
}

/** Returns the defaults with the stored values of the same types, because other versions may have stored them. */
function alike<T extends object>(stored: unknown, defaults: T): T {
  const values = Object.entries(stored ?? {}).filter(
    ([name, value]) => Object.hasOwn(defaults, name) && kind(value) === kind(defaults[name as keyof T]),
  );
  const nested = values.map(([name, value]) => {
    const known: unknown = defaults[name as keyof T];
    return [name, kind(known) === "object" ? alike(value, known as object) : value];
  });
  return { ...defaults, ...Object.fromEntries(nested) };
}

function kind(value: unknown): string {
  if (Array.isArray(value)) return `array of ${[...new Set(value.map(kind))].join()}`;
  return value === null ? "null" : typeof value;
}
