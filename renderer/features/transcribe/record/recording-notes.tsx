// Marks a place of the recording in progress, and takes a note about it.

import { Flag } from "lucide-react";
import { useState } from "react";
import type { TranscriptNote } from "../../../../main/contract/transcript-document.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { useAction } from "../../../stores/actions.ts";
import { Button } from "../../../ui/button.tsx";
import { putNote } from "../transcript/notes.ts";
import { useRecorder } from "./recorder.ts";

export function RecordingNotes({ itemId }: { itemId: string }) {
  /** The last marker, which the field is about. */
  const [note, setNote] = useState<TranscriptNote>();
  const mark = (): void => {
    const atSec = useRecorder.getState().recordedSec;
    const marker = { id: crypto.randomUUID(), atSec, text: "" };
    setNote(marker);
    void putNote(itemId, marker);
  };
  useAction({ id: "transcribe.mark", title: t("transcribe.note.mark"), keys: "b", run: mark });
  const save = (): void => {
    if (note !== undefined && note.text.trim() !== "") void putNote(itemId, note);
    setNote(undefined);
  };
  return (
    <>
      <Button icon={<Flag aria-hidden />} onClick={mark}>
        {t("transcribe.note.mark")}
      </Button>
      {note !== undefined && (
        <input
          key={note.id}
          className="input record-bar-note"
          aria-label={t("transcribe.note.text", { time: formatTime(note.atSec) })}
          placeholder={t("transcribe.note.text", { time: formatTime(note.atSec) })}
          maxLength={2000}
          // The marker is set at once; most people then write.
          autoFocus
          value={note.text}
          onChange={({ currentTarget: { value } }) => setNote({ ...note, text: value })}
          onKeyDown={({ key }) => {
            if (key === "Enter") save();
            if (key === "Escape") setNote(undefined);
          }}
          onBlur={save}
        />
      )}
    </>
  );
}
