// The name of a voice that no list has: providers have voices with names of their own.

import { useState } from "react";
import { t } from "../../../messages/messages.ts";
import { TextField } from "../../../ui/field.tsx";
import { useChooseVoice } from "./use-choose-voice.ts";

export function CustomVoiceField() {
  const choose = useChooseVoice();
  const [draft, setDraft] = useState("");
  const commit = (): void => {
    const id = draft.trim();
    if (id !== "") choose({ id, name: id, about: "" });
    setDraft("");
  };
  return (
    <TextField
      label={t("narrate.voice.other")}
      maxLength={100}
      value={draft}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
}
