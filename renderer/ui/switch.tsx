// On or off, at once.

import "./switch.css";
import { Switch as Radix } from "radix-ui";
import { useId, type ReactNode } from "react";
import { useRowTab } from "./rows.ts";

type SwitchProps = {
  label: string;
  isLabelUnseen?: boolean;
  help?: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
};

export function Switch({ label, isLabelUnseen, help, isOn, onChange }: SwitchProps) {
  const id = useId();
  const knob = (
    <Radix.Root
      className="switch"
      id={id}
      tabIndex={useRowTab()}
      checked={isOn}
      onCheckedChange={onChange}
      aria-label={isLabelUnseen ? label : undefined}
      aria-describedby={help === undefined ? undefined : `${id}-help`}
    >
      <Radix.Thumb className="switch-knob" />
    </Radix.Root>
  );
  if (isLabelUnseen) return knob;
  return (
    <div className="switch-row">
      <div className="switch-row-text">
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        {help !== undefined && (
          <p className="field-help" id={`${id}-help`}>
            {help}
          </p>
        )}
      </div>
      {knob}
    </div>
  );
}
