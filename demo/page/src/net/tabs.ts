/** Reserves a number for this tab that no other open tab of the browser has. */

/** Reserves numbers until the tab closes. Returns false if another tab has the number after `withinMs`. */
export type TabLock = (number: number, withinMs: number) => Promise<boolean>;

const LOCK = "set.player.";
const CHANNEL = "set.players";
const ANSWER_WITHIN_MS = 300;

/** Returns the reserved number: the previous one of this tab if it is free in time, else the first free one. */
export async function reservePlayer(lock: TabLock, previous: number, withinMs: number): Promise<number> {
  if (previous >= 0 && (await lock(previous, withinMs))) return previous;
  let number = 0;
  while (!(await lock(number, 0))) number += 1;
  return number;
}

/** Returns the best lock of this browser: Web Locks, which need a secure context, or messages between the tabs. */
export async function tabLock(): Promise<TabLock> {
  if (await webLocksWork()) return webLock;
  try {
    return new MessageLock(new BroadcastChannel(CHANNEL), Math.random()).lock;
  } catch {
    return () => Promise.resolve(true);
  }
}

async function webLocksWork(): Promise<boolean> {
  if (!("locks" in navigator)) return false;
  return navigator.locks.query().then(
    () => true,
    () => false,
  );
}

function webLock(number: number, withinMs: number): Promise<boolean> {
  const untilTabCloses = new Promise<never>(() => undefined);
  const abort = new AbortController();
  const timer = withinMs > 0 ? setTimeout(() => abort.abort(), withinMs) : undefined;
  const options: LockOptions = withinMs > 0 ? { signal: abort.signal } : { ifAvailable: true };
  return new Promise((resolve, reject) => {
    const onLock = (lock: Lock | null): Promise<never> | undefined => {
      clearTimeout(timer);
      resolve(lock !== null);
      return lock === null ? undefined : untilTabCloses;
    };
    navigator.locks
      .request(LOCK + number, options, onLock)
      .catch((problem: unknown) => (abort.signal.aborted ? resolve(false) : reject(problem)));
  });
}

/** Message between tabs: a tab asks for a number, another tab answers that it is taken. */
interface TabMessage {
  readonly kind: "ask" | "taken";
  readonly number: number;
  readonly from: number;
}

/** Lock by messages: a number is free if no other tab answers. Of two tabs that ask together, the lower `id` wins. */
class MessageLock {
  private asked: { number: number; taken: boolean } | null = null;
  private held = -1;

  constructor(
    private readonly channel: BroadcastChannel,
    private readonly id: number,
  ) {
    channel.onmessage = ({ data }) => this.receive(data as TabMessage);
  }

  readonly lock: TabLock = async (number) => {
    const asked = { number, taken: false };
    this.asked = asked;
    this.channel.postMessage({ kind: "ask", number, from: this.id } satisfies TabMessage);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS));
    this.asked = null;
    if (!asked.taken) this.held = number;
    return !asked.taken;
  };

  private receive({ kind, number, from }: TabMessage): void {
    const asking = this.asked?.number === number;
    const wins = kind === "taken" || from < this.id;
    if (kind === "ask" && (this.held === number || (asking && !wins)))
      this.channel.postMessage({ kind: "taken", number, from: this.id } satisfies TabMessage);
    else if (asking && wins && this.asked !== null) this.asked.taken = true;
  }
}
