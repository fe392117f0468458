import type { NumberedNews } from "../app/state";
import { CardFace } from "./card";

const SHOWN = 8;

/** The last events, newest first. The live region says them; this list is for reading. */
export function NewsList({
  news,
  marks,
}: {
  readonly news: readonly NumberedNews[];
  readonly marks: boolean;
}) {
  return (
    <section class="panel news" aria-label="Events">
      <ul>
        {news.slice(0, SHOWN).map((item) => (
          <li key={item.id} class={`is-${item.tone}`}>
            <span>{item.text}</span>
            {item.tone === "good" && <Minis cards={item.cardIds} marks={marks} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Small cards in a row, for the eye only. */
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
