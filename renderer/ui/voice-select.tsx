// Select of voices in groups.

import { GroupedSelect } from "./grouped-select.tsx";

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

export const VoiceSelect = ({ groups, ...rest }: VoiceSelectProps) => (
  <GroupedSelect
    groups={groups.map(({ label, voices }) => ({ label, options: voices }))}
    {...rest}
  />
);
