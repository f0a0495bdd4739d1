// Switch that takes effect at once.

import "./switch.css";
import { Switch as Radix } from "radix-ui";
import { useId, type ReactNode } from "react";
import { useRowTabIndex } from "./rows.ts";

type SwitchProps = {
  label: string;
  isLabelHidden?: boolean;
  help?: ReactNode;
  isOn: boolean;
  /** It cannot be changed; `help` says why. */
  isFixed?: boolean;
  onChange: (isOn: boolean) => void;
};

export function Switch({
  label,
  isLabelHidden,
  help,
  isOn,
  isFixed = false,
  onChange,
}: SwitchProps) {
  const id = useId();
  const control = (
    <Radix.Root
      className="switch"
      id={id}
      tabIndex={useRowTabIndex()}
      checked={isOn}
      onCheckedChange={(next) => !isFixed && onChange(next)}
      aria-disabled={isFixed || undefined}
      aria-label={isLabelHidden ? label : undefined}
      aria-describedby={help === undefined ? undefined : `${id}-help`}
    >
      <Radix.Thumb className="switch-knob" />
    </Radix.Root>
  );
  if (isLabelHidden) return control;
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
      {control}
    </div>
  );
}
