// The markers and notes of a segment, below its text.

import { Flag, X } from "lucide-react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { IconButton } from "../../../ui/button.tsx";
import { notesOf, removeNote } from "./notes.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

export function SegmentNotes({ fromSec, toSec }: { fromSec: number; toSec: number }) {
  const { item } = useTranscript();
  const notes = useDocument(({ document }) => document?.notes);
  return notes === undefined
    ? null
    : notesOf(notes, fromSec, toSec).map(({ id, atSec, text }) => (
        <div key={id} className="segment-note">
          <Flag aria-hidden />
          <span className="segment-note-time figures">{formatTime(atSec)}</span>
          <span className="segment-note-text">
            {text === "" ? t("transcribe.note.marker") : text}
          </span>
          <IconButton
            label={t("transcribe.note.remove")}
            isSmall
            tabIndex={-1}
            onClick={() => void removeNote(item.id, id)}
          >
            <X aria-hidden />
          </IconButton>
        </div>
      ));
}
