/**
 * Returns handlers of a button that acts when a pointer goes down, also while another finger rests on the screen. Keys
 * and screen readers act by a click without a pointer, whose `detail` is 0.
 */
export function pressHandlers(action: () => unknown) {
  return {
    onPointerDown: ({ button }: PointerEvent) => button === 0 && action(),
    onClick: ({ detail }: MouseEvent) => detail === 0 && action(),
  };
}

/** Prevents that a held Enter key or Space bar presses a button repeatedly. */
export function ignoreHeldKeys(event: KeyboardEvent): void {
  const presses = event.code === "Enter" || event.code === "NumpadEnter" || event.code === "Space";
  if (event.repeat && presses && event.target instanceof HTMLButtonElement) event.preventDefault();
}
