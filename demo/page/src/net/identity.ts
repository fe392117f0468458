/**
 * Who plays in this tab. Players are kept in the browser; each open tab is another one, so that two tabs
 * can play against each other. A reload finds its player again.
 */

const TAB = "set.tab";
const PLAYER = "set.player.";
const RELOADED_WITHIN_MS = 1500;

export interface Identity {
  readonly deviceId: string;
  /** Whether this tab was this player before: after a reload, but not in a copy of a tab. */
  readonly returning: boolean;
}

/** Returns this tab's player, and keeps other tabs from being the same one while this tab lives. */
export async function claimIdentity(): Promise<Identity> {
  const before = Number(sessionStorage.getItem(TAB) ?? -1);
  const place = await claimPlace(before);
  sessionStorage.setItem(TAB, String(place));
  return { deviceId: deviceIdOf(place), returning: place === before };
}

async function claimPlace(before: number): Promise<number> {
  if (!("locks" in navigator)) return Math.max(before, 0);
  if (before >= 0 && (await hold(before, RELOADED_WITHIN_MS))) return before;
  let place = 0;
  while (!(await hold(place, 0))) place += 1;
  return place;
}

/** Takes the lock of a place for as long as the tab lives; returns whether it was to be had in time. */
function hold(place: number, withinMs: number): Promise<boolean> {
  const forever = new Promise<never>(() => undefined);
  const wish: LockOptions = withinMs > 0 ? { signal: AbortSignal.timeout(withinMs) } : { ifAvailable: true };
  return new Promise((resolve) => {
    const taken = (lock: Lock | null): Promise<never> | undefined => {
      resolve(lock !== null);
      return lock === null ? undefined : forever;
    };
    navigator.locks.request(PLAYER + place, wish, taken).catch(() => resolve(false));
  });
}

function deviceIdOf(place: number): string {
  const deviceId = localStorage.getItem(PLAYER + place) ?? newDeviceId();
  localStorage.setItem(PLAYER + place, deviceId);
  return deviceId;
}

/** `crypto.randomUUID` is for secure pages only; a page on a home network is none. */
function newDeviceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
