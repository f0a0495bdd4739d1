// Title that is edited in place: saved on blur or Enter, reverted on Escape.

import "./title-field.css";
import { useState } from "react";

type TitleFieldProps = {
  label: string;
  value: string;
  maxLength: number;
  /** Called with a changed, non-empty title. @returns why it could not be saved */
  onSave: (title: string) => Promise<string | undefined>;
};

export function TitleField({ label, value, maxLength, onSave }: TitleFieldProps) {
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<string>();

  async function save(): Promise<void> {
    const title = typed?.trim();
    if (title === undefined || title === "" || title === value) return setTyped(undefined);
    const failure = await onSave(title);
    setError(failure);
    // If saving fails, the typed text stays.
    if (failure === undefined) setTyped(undefined);
  }

  return (
    <>
      <input
        className="title-field"
        aria-label={label}
        maxLength={maxLength}
        value={typed ?? value}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === "Escape") setTyped(undefined);
          if (event.key === "Enter") event.currentTarget.blur();
        }}
      />
      {error !== undefined && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
