// Segmented control: one of a few choices. Arrow keys move between them.

import "./segmented.css";
import { ToggleGroup } from "radix-ui";

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly { readonly value: Value; readonly label: string }[];
  onChange: (value: Value) => void;
};

export function Segmented<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentedProps<Value>) {
  return (
    // Pressing the selected one again gives an empty string.
    <ToggleGroup.Root
      type="single"
      className="segmented"
      aria-label={label}
      value={value}
      onValueChange={(next) => next !== "" && onChange(next as Value)}
    >
      {choices.map((choice) => (
        <ToggleGroup.Item key={choice.value} value={choice.value} className="segmented-choice">
          {choice.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
