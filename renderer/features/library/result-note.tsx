// Note above the library's list: what was done, with an undo button, or why it failed.

import { useState } from "react";
import { messageOf } from "../../api/error.ts";
import { t } from "../../messages/messages.ts";
import { type UndoStep, useCanUndo, useUndo } from "../../stores/undo.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

type ResultNoteState = ReturnType<typeof useResultNote>;

/** A note with a step disappears when the step cannot be undone any more; one without reports a failure. */
export function useResultNote() {
  const [note, setNote] = useState<{ text: string; step?: UndoStep }>();
  const canUndo = useCanUndo(note?.step);
  const fail = (failure: unknown): void => setNote({ text: messageOf(failure) });
  return {
    note: note?.step === undefined || canUndo ? note : undefined,
    fail,
    clear: () => setNote(undefined),
    /** Shows what was done, with an undo button. */
    showResult: (work: Promise<UndoStep>, text: string): void =>
      void work.then((step) => setNote({ text, step }), fail),
  };
}

export function ResultNote({ note, clear }: Pick<ResultNoteState, "note" | "clear">) {
  if (note === undefined) return null;
  return (
    <div className="library-note">
      <Notice
        tone={note.step === undefined ? "bad" : "plain"}
        action={
          <>
            {note.step !== undefined && (
              <Button isSmall onClick={() => void useUndo.getState().undo(note.step)}>
                {t("frame.undo")}
              </Button>
            )}
            <Button isSmall kind="quiet" onClick={clear}>
              {t("frame.dismiss")}
            </Button>
          </>
        }
      >
        {note.text}
      </Notice>
    </div>
  );
}
