/** Storage of the browser. If the browser blocks it or it is full, values are kept until the page closes. */

export class SafeStorage {
  private readonly unsaved = new Map<string, string | null>();

  /** `open` returns the storage of the browser; it throws if the browser blocks it. */
  constructor(private readonly open: () => Storage) {}

  get(key: string): string | null {
    const unsaved = this.unsaved.get(key);
    if (unsaved !== undefined) return unsaved;
    try {
      return this.open().getItem(key);
    } catch {
      return null;
    }
  }

  /** Sets a value; null removes it. */
  set(key: string, value: string | null): void {
    try {
      if (value === null) this.open().removeItem(key);
      else this.open().setItem(key, value);
      this.unsaved.delete(key);
    } catch {
      this.unsaved.set(key, value);
    }
  }
}

/** Values of this tab, kept after a reload. */
export const tabStorage = new SafeStorage(() => sessionStorage);

/** Values of all tabs, kept after the browser was closed. */
export const browserStorage = new SafeStorage(() => localStorage);
