// Form fields with label, help and error, associated for screen readers: text, text area, select, checkbox.

import "./field.css";
import { ChevronDown } from "lucide-react";
import { useId, type ComponentPropsWithRef, type ReactElement, type ReactNode } from "react";
import { useRowTabIndex } from "./rows.ts";
import { TextBox } from "./text-box.tsx";

type LabelProps = {
  label: string;
  /** Shows the label to screen readers only. */
  isLabelHidden?: boolean | undefined;
  help?: ReactNode;
  /** What is wrong with the input, and what would be valid. */
  error?: string | undefined;
  isInline?: boolean | undefined;
};

type ControlProps = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

/** Any control with a label: `children` gets the ids and attributes that associate it. */
export function Field({
  label,
  isLabelHidden,
  help,
  error,
  isInline,
  children,
}: LabelProps & { children: (controlProps: ControlProps) => ReactElement }) {
  const id = useId();
  const describedBy = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`]
    .filter((each) => each !== false)
    .join(" ");
  return (
    <div className={`field ${isInline ? "field-inline" : ""}`}>
      <label htmlFor={id} className={isLabelHidden ? "unseen" : "field-label"}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": describedBy === "" ? undefined : describedBy,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {help !== undefined && (
        <span className="field-help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {error !== undefined && (
        <span className="field-error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

const splitProps = <Props extends LabelProps>({
  label,
  isLabelHidden,
  help,
  error,
  isInline,
  ...rest
}: Props) => ({ labelProps: { label, isLabelHidden, help, error, isInline }, rest });

export function TextField(props: LabelProps & Omit<ComponentPropsWithRef<"input">, "id">) {
  const { labelProps, rest } = splitProps(props);
  return (
    <Field {...labelProps}>
      {(controlProps) => (
        <input
          type="text"
          spellCheck={false}
          {...rest}
          {...controlProps}
          className={`input ${rest.className ?? ""}`}
        />
      )}
    </Field>
  );
}

export function TextArea(props: LabelProps & Omit<ComponentPropsWithRef<typeof TextBox>, "id">) {
  const { labelProps, rest } = splitProps(props);
  return (
    <Field {...labelProps}>
      {(controlProps) => (
        <TextBox rows={3} {...rest} {...controlProps} className={`input ${rest.className ?? ""}`} />
      )}
    </Field>
  );
}

/** The browser's own select, which supports keyboard, screen readers and small windows. Children are `option`s. */
export function Select({
  isQuiet,
  ...props
}: LabelProps & { isQuiet?: boolean } & Omit<ComponentPropsWithRef<"select">, "id">) {
  const { labelProps, rest } = splitProps(props);
  return (
    <Field {...labelProps}>
      {(controlProps) => (
        <span className="select">
          <select
            {...rest}
            {...controlProps}
            className={`input select-input ${isQuiet ? "select-quiet" : ""}`}
          />
          <ChevronDown className="select-arrow" aria-hidden />
        </span>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  help,
  ...rest
}: { label: string; help?: ReactNode } & Omit<ComponentPropsWithRef<"input">, "type" | "id">) {
  const id = useId();
  return (
    <div className="check">
      <input
        type="checkbox"
        tabIndex={useRowTabIndex()}
        {...rest}
        id={id}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
      />
      <span>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <span className="field-help" id={`${id}-help`}>
            {" "}
            {help}
          </span>
        )}
      </span>
    </div>
  );
}
