import type { NumberedEvent } from "../app/state";
import { CardFace } from "./card";

const SHOWN = 8;

/** The last events, newest first. `LiveRegion` announces them to screen readers. */
export function EventList({
  events,
  marks,
}: {
  readonly events: readonly NumberedEvent[];
  readonly marks: boolean;
}) {
  return (
    <section class="panel events" aria-label="Events">
      <ul>
        {events.slice(0, SHOWN).map((item) => (
          <li key={item.id} class={`is-${item.tone}`}>
            <span>{item.text}</span>
            {item.tone === "good" && <Minis cards={item.cardIds} marks={marks} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A row of small cards, hidden from screen readers. */
export function Minis({ cards, marks }: { readonly cards: readonly number[]; readonly marks: boolean }) {
  return (
    <span class="minis" aria-hidden="true">
      {cards.map((card) => (
        <span key={card} class="mini">
          <CardFace id={card} marks={marks} />
        </span>
      ))}
    </span>
  );
}
