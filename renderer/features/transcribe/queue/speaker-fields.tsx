// Whether speakers are told apart, and how many there are, if that is known.

import { useState } from "react";
import { parseSpeakerCount, type SpeakerCount } from "../../../../main/contract/speakers.ts";
import { t } from "../../../messages/messages.ts";
import { useModels } from "../../../stores/models.ts";
import { TextField } from "../../../ui/field.tsx";
import { Switch } from "../../../ui/switch.tsx";

type SpeakerFieldsProps = {
  /** Undefined: speakers are not told apart. */
  value: SpeakerCount | undefined;
  onChange: (value: SpeakerCount | undefined) => void;
};

export function SpeakerFields({ value, onChange }: SpeakerFieldsProps) {
  const isPossible = useModels((state) => state.tellsSpeakersApart);
  return (
    <>
      <Switch
        label={t("transcribe.option.speakers")}
        help={
          isPossible ? t("transcribe.option.speakers.help") : t("transcribe.option.speakers.unable")
        }
        isOn={value !== undefined}
        isFixed={!isPossible && value === undefined}
        onChange={(isOn) => onChange(isOn ? {} : undefined)}
      />
      {value !== undefined && <SpeakerCountField value={value} onChange={onChange} />}
    </>
  );
}

type SpeakerCountFieldProps = { value: SpeakerCount; onChange: (value: SpeakerCount) => void };

export function SpeakerCountField({ value, onChange }: SpeakerCountFieldProps) {
  const [draft, setDraft] = useState(() => countText(value));
  /** What is typed is not called wrong before it is finished. */
  const [isTyping, setTyping] = useState(false);
  const isWrong = readCount(draft) === undefined;
  return (
    <TextField
      label={t("transcribe.option.speakers.count")}
      help={t("transcribe.option.speakers.count.help")}
      error={isWrong && !isTyping ? t("transcribe.option.speakers.count.wrong") : undefined}
      placeholder={t("transcribe.option.speakers.count.any")}
      autoComplete="off"
      maxLength={10}
      value={draft}
      onFocus={() => setTyping(true)}
      onBlur={() => setTyping(false)}
      onChange={({ currentTarget }) => {
        setDraft(currentTarget.value);
        const count = readCount(currentTarget.value);
        if (count !== undefined) onChange(count);
      }}
    />
  );
}

/** Nothing stands for any number. */
const readCount = (text: string): SpeakerCount | undefined =>
  text.trim() === "" ? {} : parseSpeakerCount(text);

function countText({ min, max }: SpeakerCount): string {
  if (min === undefined || max === undefined) return "";
  return min === max ? String(min) : `${min}–${max}`;
}
