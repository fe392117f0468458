import { attributesOf, type CardAttributes, COLORS } from "../game/cards";
import { CARD_HEIGHT, CARD_WIDTH, centers, OUTLINES, STROKE } from "../game/glyph";
import { MARKS } from "../game/palettes";

/** SVG patterns for striped symbols, rendered once for the page. */
export function Stripes() {
  return (
    <svg width="0" height="0" class="stripes" aria-hidden="true">
      {COLORS.map((color) => (
        <pattern key={color} id={`stripes-${color}`} width="5" height="8" patternUnits="userSpaceOnUse">
          <path d="M2.5 0V8" stroke={`var(--${color})`} stroke-width="1.9" />
        </pattern>
      ))}
    </svg>
  );
}

/** Picture of a card, hidden from screen readers. The parent element provides the name of the card. */
export function CardFace({ id, marks }: { readonly id: number; readonly marks: boolean }) {
  const card = attributesOf(id);
  return (
    <svg class="face" viewBox={`0 0 ${CARD_WIDTH} ${CARD_HEIGHT}`} aria-hidden="true" focusable="false">
      {centers(card.number).map(([x, y]) => (
        <path
          key={y}
          d={OUTLINES[card.shape]}
          transform={`translate(${x} ${y})`}
          fill={fillOf(card)}
          stroke={`var(--${card.color})`}
          stroke-width={STROKE}
          stroke-linejoin="round"
        />
      ))}
      {marks && (
        <text x="5" y="15" class="mark" fill={`var(--${card.color})`}>
          {MARKS[card.color]}
        </text>
      )}
    </svg>
  );
}

function fillOf({ shading, color }: CardAttributes): string {
  if (shading === "solid") return `var(--${color})`;
  return shading === "striped" ? `url(#stripes-${color})` : "none";
}
