/**
 * Identity of this tab. The browser stores players by number; each open tab is a different player, so that two
 * tabs can play against each other. A tab keeps its player after a reload.
 */

import { browserStorage, tabStorage } from "./storage";
import { reservePlayer, type TabLock } from "./tabs";

const TAB = "set.tab";
const PLAYER = "set.player.";
const RELOADED_WITHIN_MS = 1500;

export interface Identity {
  readonly deviceId: string;
  /** Whether the browser knew the player before. */
  readonly known: boolean;
  /** Whether this tab had the same player before: true after a reload, false in a copy of a tab. */
  readonly returning: boolean;
}

/** Returns the player of this tab, and reserves it as long as the tab is open. */
export async function claimIdentity(lock: TabLock): Promise<Identity> {
  const stored = tabStorage.get(TAB);
  const previous = stored === null ? -1 : Number(stored);
  const player = await reservePlayer(lock, previous, RELOADED_WITHIN_MS);
  tabStorage.set(TAB, String(player));
  const deviceId = browserStorage.get(PLAYER + player);
  const returning = player === previous;
  if (deviceId !== null) return { deviceId, known: true, returning };
  const created = newDeviceId();
  browserStorage.set(PLAYER + player, created);
  return { deviceId: created, known: false, returning };
}

/** Does not use `crypto.randomUUID`: it needs a secure context, and a page served by HTTP in a local network has none. */
function newDeviceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
