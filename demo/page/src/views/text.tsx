/** Text that stays correct if the browser translates the page: it replaces text nodes, so later updates are lost. */

import { shownName } from "../game/names";

/** Text that changes. A new element replaces the old one, so that the browser translates the new text. */
export function Text({ children }: { readonly children: string }) {
  return <span key={children}>{children}</span>;
}

/** Name of a player: never translated, and isolated from the direction of the text around it. */
export function Name({ children }: { readonly children: string }) {
  return <bdi translate={false}>{shownName(children)}</bdi>;
}
