// Select of voices in groups, for places without room for a list.

import { Select } from "./field.tsx";

type VoiceSelectProps = {
  label: string;
  isLabelHidden?: boolean;
  groups: readonly {
    readonly label: string;
    readonly voices: readonly { readonly id: string; readonly name: string }[];
  }[];
  value: string;
  onChange: (voice: string) => void;
};

/** Always includes the selected one. */
export function VoiceSelect({
  label,
  isLabelHidden = false,
  groups,
  value,
  onChange,
}: VoiceSelectProps) {
  const isListed = groups.some(({ voices }) => voices.some(({ id }) => id === value));
  return (
    <Select
      label={label}
      isLabelHidden={isLabelHidden}
      value={value}
      onChange={({ currentTarget: { value: voice } }) => onChange(voice)}
    >
      {!isListed && <option>{value}</option>}
      {groups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.voices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
