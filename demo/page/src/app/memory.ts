/** Values that are kept after a reload: name and settings in the browser, the match in the tab. */

import type { Preferences } from "../game/options";
import { PALETTES } from "../game/palettes";
import type { Settings } from "./state";

const NAME = "set.name";
const SETTINGS = "set.settings";
const PREFERENCES = "set.preferences";
const MATCH = "set.match";

export function loadName(): string {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? "";
}

/** Saves the name for the tab too, because each tab is a different player. */
export function saveName(name: string): void {
  sessionStorage.setItem(NAME, name);
  localStorage.setItem(NAME, name);
}

export function loadSettings(): Settings {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const settings: Settings = { palette: "classic", marks: false, calm, ...load<Settings>(SETTINGS) };
  return settings.palette in PALETTES ? settings : { ...settings, palette: "classic" };
}

export function saveSettings(settings: Settings): void {
  localStorage.setItem(SETTINGS, JSON.stringify(settings));
}

export function loadPreferences(): Partial<Preferences> {
  return load<Preferences>(PREFERENCES);
}

export function savePreferences(preferences: Preferences): void {
  localStorage.setItem(PREFERENCES, JSON.stringify(preferences));
}

export function loadMatch(): string {
  return sessionStorage.getItem(MATCH) ?? "";
}

export function saveMatch(matchId: string): void {
  if (matchId === "") sessionStorage.removeItem(MATCH);
  else sessionStorage.setItem(MATCH, matchId);
}

function load<T>(key: string): Partial<T> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<T>;
  } catch {
    return {};
  }
}
