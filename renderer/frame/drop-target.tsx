// Files dropped or pasted anywhere in the window: audio goes to the Transcribe page, text to the Narrate page. A page
// that handles a drop itself stops the event.

import "./drop-target.css";
import { useEffect, useState } from "react";
import { t } from "../messages/messages.ts";
import { addIncomingFiles } from "../stores/incoming.ts";
import { go, useRoute } from "../stores/route.ts";
import { isTextField } from "./shortcuts.ts";

const hasFiles = (transfer: DataTransfer | null) => transfer?.types.includes("Files") === true;

function receiveFiles(files: readonly File[]): void {
  const kinds = addIncomingFiles(files);
  // With both kinds, shows the Transcribe page: transcription takes longer.
  if (kinds.has("media")) go("/transcribe");
  else if (kinds.has("script")) go("/narrate");
}

export function DropTarget() {
  const [isOver, setOver] = useState(false);
  const { page } = useRoute();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      // Otherwise the browser would open the file in place of the app.
      event.preventDefault();
      setOver(true);
    };
    addEventListener("dragenter", onDragOver, { signal });
    addEventListener("dragover", onDragOver, { signal });
    addEventListener("dragleave", (event) => event.relatedTarget === null && setOver(false), {
      signal,
    });
    addEventListener(
      "drop",
      (event) => {
        setOver(false);
        if (event.defaultPrevented || !hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        receiveFiles([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    addEventListener(
      "paste",
      (event) => {
        const files = [...(event.clipboardData?.files ?? [])];
        if (files.length === 0 || event.defaultPrevented || isTextField(event.target)) return;
        event.preventDefault();
        receiveFiles(files);
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="drop-target">
      <p>{t(page === "models" ? "shell.drop.model" : "shell.drop")}</p>
      <span>{t(page === "models" ? "shell.drop.model.kinds" : "shell.drop.kinds")}</span>
    </div>
  );
}
