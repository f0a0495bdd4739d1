// Files dropped or pasted anywhere in the window; see receive-files.ts. A page that handles a drop itself prevents the
// event's default.

import "./drop-target.css";
import { useEffect, useState } from "react";
import { t } from "../messages/messages.ts";
import type { ReceivedFile } from "../stores/accepted-files.ts";
import { parseRoute, useRoute } from "../stores/route.ts";
import { describeAccepted, receiveFiles } from "./receive-files.ts";
import { isTextField } from "./shortcuts.ts";

const hasFiles = (transfer: DataTransfer | null) => transfer?.types.includes("Files") === true;

/** Must be called while the drop is handled: its entries are gone afterwards. */
const droppedFiles = ({ items }: DataTransfer): ReceivedFile[] =>
  [...items].flatMap((item) => {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (file === null) return [];
    return entry?.isDirectory === true ? Object.assign(file, { folder: entry }) : file;
  });

const receive = (files: readonly ReceivedFile[]): void =>
  receiveFiles(files, parseRoute(location.hash).page);

export function DropTarget() {
  const [isOver, setOver] = useState(false);
  const { page, rest } = useRoute();
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
        receive(event.dataTransfer === null ? [] : droppedFiles(event.dataTransfer));
      },
      { signal },
    );
    addEventListener(
      "paste",
      (event) => {
        const files = [...(event.clipboardData?.files ?? [])];
        if (files.length === 0 || event.defaultPrevented || isTextField(event.target)) return;
        event.preventDefault();
        receive(files);
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
  if (!isOver) return null;
  const takesModels = page === "models" && rest.length === 0;
  return (
    <div className="drop-target">
      <p>{t(takesModels ? "frame.drop.import" : "frame.drop")}</p>
      <span>{takesModels ? t("frame.drop.import.kinds") : describeAccepted(page)}</span>
    </div>
  );
}
