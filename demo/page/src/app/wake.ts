/** Detects that the device slept: the clocks diverge, a timer is late, or the page becomes visible again. */

const CHECK_MS = 1000;

/** Difference of the clocks, or delay of the timer, that means a sleep, in milliseconds. */
const TOLERANCE_MS = 2000;

/** Calls `onWake` after each sleep of the device, and when the page becomes visible again. */
export function watchWake(onWake: () => void): void {
  // The monotonic clock can stop during a sleep.
  const read = () => ({ monotonicMs: performance.now(), unixMs: Date.now() });
  let last = read();
  setInterval(() => {
    const now = read();
    const elapsed = [now.monotonicMs - last.monotonicMs, now.unixMs - last.unixMs];
    last = now;
    if (elapsed.some((ms) => Math.abs(ms - CHECK_MS) > TOLERANCE_MS)) onWake();
  }, CHECK_MS);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") onWake();
  });
  window.addEventListener("pageshow", ({ persisted }) => persisted && onWake());
}
