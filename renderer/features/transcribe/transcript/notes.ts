// Markers and notes of transcripts: stored at once, and shown where the transcript is open.

import type { TranscriptNote } from "../../../../main/contract/transcript-document.ts";
import { call } from "../../../api/client.ts";
import { messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { toast } from "../../../stores/toasts.ts";
import { transcripts } from "./open-transcripts.ts";

async function change(
  itemId: string,
  noteChange: { put?: TranscriptNote[]; remove?: string[] },
): Promise<void> {
  try {
    const { notes } = await call("changeNotes", { put: [], remove: [], ...noteChange }, itemId);
    transcripts
      .open(itemId)
      .store.setState(({ document }) =>
        document === undefined ? {} : { document: { ...document, notes } },
      );
  } catch (error) {
    toast({ tone: "bad", text: t("transcribe.note.failed", { why: messageOf(error) }) });
  }
}

export const putNote = (itemId: string, note: TranscriptNote): Promise<void> =>
  change(itemId, { put: [note] });
export const removeNote = (itemId: string, id: string): Promise<void> =>
  change(itemId, { remove: [id] });

/** Those of a segment: from its start to that of the next one; the first one has also those before. */
export const notesOf = (
  notes: readonly TranscriptNote[],
  fromSec: number,
  toSec: number,
): TranscriptNote[] => notes.filter(({ atSec }) => atSec >= fromSec && atSec < toSec);
