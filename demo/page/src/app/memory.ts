/** What outlives a reload: name and settings in the browser, the match in the tab. */

import type { Wishes } from "../game/options";
import { PALETTES } from "../game/palettes";
import type { Settings } from "./state";

const NAME = "set.name";
const SETTINGS = "set.settings";
const WISHES = "set.wishes";
const MATCH = "set.match";

export function recallName(): string {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? "";
}

/** The tab keeps its own name: two tabs are two players. */
export function rememberName(name: string): void {
  sessionStorage.setItem(NAME, name);
  localStorage.setItem(NAME, name);
}

export function recallSettings(): Settings {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const settings: Settings = { palette: "classic", marks: false, calm, ...recall<Settings>(SETTINGS) };
  return settings.palette in PALETTES ? settings : { ...settings, palette: "classic" };
}

export function rememberSettings(settings: Settings): void {
  localStorage.setItem(SETTINGS, JSON.stringify(settings));
}

export function recallWishes(): Partial<Wishes> {
  return recall<Wishes>(WISHES);
}

export function rememberWishes(wishes: Wishes): void {
  localStorage.setItem(WISHES, JSON.stringify(wishes));
}

export function recallMatch(): string {
  return sessionStorage.getItem(MATCH) ?? "";
}

export function rememberMatch(matchId: string): void {
  if (matchId === "") sessionStorage.removeItem(MATCH);
  else sessionStorage.setItem(MATCH, matchId);
}

function recall<T>(key: string): Partial<T> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<T>;
  } catch {
    return {};
  }
}
