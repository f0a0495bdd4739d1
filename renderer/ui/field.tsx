// Fields with their label, help and error, tied together for screen readers: text, several lines, a choice, a tick.

import "./field.css";
import { ChevronDown } from "lucide-react";
import { useId, type ComponentPropsWithRef, type ReactElement, type ReactNode } from "react";
import { useRowTab } from "./rows.ts";
import { TextBox } from "./text-box.tsx";

type Labelled = {
  label: string;
  /** The label is there for screen readers alone. */
  isLabelUnseen?: boolean | undefined;
  help?: ReactNode;
  /** What is wrong with what was given, and what would be right. */
  error?: string | undefined;
  isInline?: boolean | undefined;
};

type Tied = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

/** Any control with a label: `children` gets what ties it to the rest. */
export function Field({
  label,
  isLabelUnseen,
  help,
  error,
  isInline,
  children,
}: Labelled & { children: (tied: Tied) => ReactElement }) {
  const id = useId();
  const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`]
    .filter((each) => each !== false)
    .join(" ");
  return (
    <div className={`field ${isInline ? "field-inline" : ""}`}>
      <label htmlFor={id} className={isLabelUnseen ? "unseen" : "field-label"}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
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

const split = <Props extends Labelled>({
  label,
  isLabelUnseen,
  help,
  error,
  isInline,
  ...rest
}: Props) => ({ labelled: { label, isLabelUnseen, help, error, isInline }, rest });

export function TextField(props: Labelled & Omit<ComponentPropsWithRef<"input">, "id">) {
  const { labelled, rest } = split(props);
  return (
    <Field {...labelled}>
      {(tied) => (
        <input
          type="text"
          spellCheck={false}
          {...rest}
          {...tied}
          className={`input ${rest.className ?? ""}`}
        />
      )}
    </Field>
  );
}

export function TextArea(props: Labelled & Omit<ComponentPropsWithRef<typeof TextBox>, "id">) {
  const { labelled, rest } = split(props);
  return (
    <Field {...labelled}>
      {(tied) => (
        <TextBox rows={3} {...rest} {...tied} className={`input ${rest.className ?? ""}`} />
      )}
    </Field>
  );
}

/** The browser's own list: it knows the keyboard, screen readers and small windows. Children are `option`s. */
export function Select({
  isQuiet,
  ...props
}: Labelled & { isQuiet?: boolean } & Omit<ComponentPropsWithRef<"select">, "id">) {
  const { labelled, rest } = split(props);
  return (
    <Field {...labelled}>
      {(tied) => (
        <span className="select">
          <select
            {...rest}
            {...tied}
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
        tabIndex={useRowTab()}
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
