/**
 * Identity of this tab. The browser stores players by number; each open tab is a different player, so that two
 * tabs can play against each other. A tab keeps its player after a reload.
 */

const TAB = "set.tab";
const PLAYER = "set.player.";
const RELOADED_WITHIN_MS = 1500;

interface Identity {
  readonly deviceId: string;
  /** Whether this tab had the same player before: true after a reload, false in a copy of a tab. */
  readonly returning: boolean;
}

/** Returns the player of this tab, and reserves it as long as the tab is open. */
export async function claimIdentity(): Promise<Identity> {
  const previous = Number(sessionStorage.getItem(TAB) ?? -1);
  const number = await reservePlayer(previous);
  sessionStorage.setItem(TAB, String(number));
  return { deviceId: deviceIdOf(number), returning: number === previous };
}

async function reservePlayer(previous: number): Promise<number> {
  if (!("locks" in navigator)) return Math.max(previous, 0);
  if (previous >= 0 && (await acquire(previous, RELOADED_WITHIN_MS))) return previous;
  let number = 0;
  while (!(await acquire(number, 0))) number += 1;
  return number;
}

/** Acquires the lock of a player until the tab closes. Returns false if the lock is not free in time. */
function acquire(number: number, withinMs: number): Promise<boolean> {
  const untilTabCloses = new Promise<never>(() => undefined);
  const options: LockOptions =
    withinMs > 0 ? { signal: AbortSignal.timeout(withinMs) } : { ifAvailable: true };
  return new Promise((resolve) => {
    const onLock = (lock: Lock | null): Promise<never> | undefined => {
      resolve(lock !== null);
      return lock === null ? undefined : untilTabCloses;
    };
    navigator.locks.request(PLAYER + number, options, onLock).catch(() => resolve(false));
  });
}

function deviceIdOf(number: number): string {
  const deviceId = localStorage.getItem(PLAYER + number) ?? newDeviceId();
  localStorage.setItem(PLAYER + number, deviceId);
  return deviceId;
}

/** Does not use `crypto.randomUUID`: it needs a secure context, and a page served by HTTP in a local network has none. */
function newDeviceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
