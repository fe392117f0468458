import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** Renders the control. The id connects it to the label. */
  control(id: string): ComponentChildren;
}

/** A control with a label above it. */
export function Field({ label, control }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control(id)}
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  onChoose(value: string): void;
}

/** A select element. Each choice is a value and its title. */
export function Select({ label, value, choices, onChoose }: SelectProps) {
  const control = (id: string) => (
    <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {choices.map(([choice, title]) => (
        <option key={choice} value={choice} selected={choice === value}>
          {title}
        </option>
      ))}
    </select>
  );
  return <Field label={label} control={control} />;
}
