import type { ComponentChildren } from "preact";

/** A labelled control. */
export function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  onChoose(value: string): void;
}

/** A choice among a few: each a value and its title. */
export function Select({ label, value, choices, onChoose }: SelectProps) {
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {choices.map(([choice, title]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {title}
          </option>
        ))}
      </select>
    </Field>
  );
}
