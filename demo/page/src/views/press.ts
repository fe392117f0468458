import { useRef } from "preact/hooks";

/**
 * Returns handlers of a button that acts when a pointer goes down, also while another finger rests on the screen. Keys
 * and screen readers act by the click.
 */
export function usePress(action: () => void) {
  const handled = useRef(false);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      handled.current = true;
      action();
    },
    onClick: () => {
      if (!handled.current) action();
      handled.current = false;
    },
  };
}

/** Prevents that a held Enter key or Space bar presses a button repeatedly. */
export function ignoreHeldKeys(event: KeyboardEvent): void {
  const presses = event.code === "Enter" || event.code === "NumpadEnter" || event.code === "Space";
  if (event.repeat && presses && event.target instanceof HTMLButtonElement) event.preventDefault();
}
