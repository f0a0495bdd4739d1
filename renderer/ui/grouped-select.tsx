// Select of named options in groups, for places without room for a list.

import { Select } from "./field.tsx";

type GroupedSelectProps = {
  label: string;
  isLabelHidden?: boolean | undefined;
  error?: string | undefined;
  groups: readonly {
    readonly label: string;
    readonly options: readonly { readonly id: string; readonly name: string }[];
  }[];
  value: string;
  /** Of a value that is in no group. */
  unlistedName?: string | undefined;
  onChange: (id: string) => void;
};

/** Always includes the selected one. */
export function GroupedSelect({
  label,
  isLabelHidden = false,
  error,
  groups,
  value,
  unlistedName = value,
  onChange,
}: GroupedSelectProps) {
  const isListed = groups.some(({ options }) => options.some(({ id }) => id === value));
  return (
    <Select
      label={label}
      isLabelHidden={isLabelHidden}
      error={error}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {!isListed && <option value={value}>{unlistedName}</option>}
      {groups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
