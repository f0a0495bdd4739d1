// Field for the dictation keys: recorded by pressing them.

import { useRef, useState, type KeyboardEvent } from "react";
import type { DesktopState } from "../../../main/contract/desktop-bridge.ts";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Keys } from "../../ui/keys.tsx";
import { toAccelerator, toDisplayKeys } from "./accelerator.ts";

type KeysFieldProps = {
  label: string;
  keys: string;
  defaultKeys: string;
  system: DesktopState["system"];
  onChange: (keys: string) => void;
};

export function KeysField({ label, keys, defaultKeys, system, onChange }: KeysFieldProps) {
  const [isRecording, setRecording] = useState(false);
  const [problem, setProblem] = useState<"alone" | "unknown">();
  const button = useRef<HTMLButtonElement>(null);
  const choose = (next: string): void => {
    setRecording(false);
    setProblem(undefined);
    if (next !== keys) onChange(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isRecording) return;
    const isUnmodified = !event.ctrlKey && !event.metaKey && !event.altKey;
    // Tab must still leave the field.
    if (event.key === "Tab" && isUnmodified) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (event.key === "Escape" && isUnmodified) {
      setRecording(false);
      setProblem(undefined);
      return;
    }
    const pressed = toAccelerator(event.nativeEvent, system);
    if (typeof pressed === "object") choose(pressed.keys);
    else setProblem(pressed === "more" ? undefined : pressed);
  };
  return (
    <div className="keys-field">
      <div className="settings-row">
        <span className="field-label" id="dictation-keys">
          {label}
        </span>
        <div className="keys-field-choice">
          <button
            ref={button}
            type="button"
            className="input keys-field-keys"
            aria-labelledby="dictation-keys dictation-keys-now"
            aria-describedby={problem === undefined ? undefined : "dictation-keys-problem"}
            onClick={() => setRecording(true)}
            onKeyDown={onKeyDown}
            // Otherwise releasing Space or Enter would click the button again.
            onKeyUp={(event) => isRecording && event.preventDefault()}
            onBlur={() => setRecording(false)}
          >
            <span id="dictation-keys-now">
              {isRecording ? (
                <span className="secondary">{t("settings.dictation.press")}</span>
              ) : keys === "" ? (
                <span className="secondary">{t("settings.dictation.none")}</span>
              ) : (
                <Keys keys={toDisplayKeys(keys)} />
              )}
            </span>
          </button>
          {keys !== defaultKeys && (
            <Button isSmall kind="quiet" onClick={() => choose(defaultKeys)}>
              {t("settings.dictation.usual")}
            </Button>
          )}
          {keys !== "" && (
            <Button isSmall kind="quiet" onClick={() => choose("")}>
              {t("settings.dictation.turnOff")}
            </Button>
          )}
        </div>
      </div>
      {isRecording && problem !== undefined && (
        <span className="field-error" id="dictation-keys-problem" role="alert">
          {t(`settings.dictation.problem.${problem}`)}
        </span>
      )}
    </div>
  );
}
