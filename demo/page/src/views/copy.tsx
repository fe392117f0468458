import { useRef, useState } from "preact/hooks";
import { Text } from "./text";

interface CopyProps {
  readonly text: string;
  readonly label: string;
  /** The name of the text, for the message after it was selected. */
  readonly kind: "link" | "text";
}

/** Text with a button that copies it. Without a clipboard, as with plain HTTP, the button selects the text. */
export function CopyText({ text, label, kind }: CopyProps) {
  const [done, setDone] = useState<"" | "copied" | "selected">("");
  const rows = text.split("\n").length;
  const field = useRef<HTMLTextAreaElement>(null);
  const select = () => {
    field.current?.select();
    setDone("selected");
  };
  const copy = () => {
    if (navigator.clipboard === undefined) select();
    else navigator.clipboard.writeText(text).then(() => setDone("copied"), select);
  };
  return (
    <>
      <div class="copy">
        <textarea
          ref={field}
          readOnly
          rows={rows}
          wrap={rows === 1 ? "off" : "soft"}
          value={text}
          aria-label={label}
          onFocus={() => field.current?.select()}
        />
        <button type="button" onClick={copy}>
          <Text>{done === "copied" ? "Copied" : "Copy"}</Text>
        </button>
      </div>
      {done === "selected" && (
        <p class="note" role="status">
          The {kind} is selected: copy it with the keyboard or the menu.
        </p>
      )}
    </>
  );
}
