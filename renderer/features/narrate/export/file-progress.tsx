// How far a narration's file is, with a way to stop: below the title, whatever panel is open.

import { useEffect, useState } from "react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { useAction } from "../../../stores/actions.ts";
import { useNarration } from "../use-narration.ts";
import { WorkLine } from "../work-line.tsx";
import type { BookFileState } from "./book-file.ts";

/** A pace from less is a guess. */
const minPaceSec = 3;

/** Drawn anew as often as the app tells how far it is. */
export function FileProgress({
  making: { sinceMs, part },
}: {
  making: NonNullable<BookFileState["making"]>;
}) {
  const { cancel } = useNarration().open.file;
  const label = t("narrate.export.running");
  useAction({ id: "narrate.export.cancel", title: t("narrate.export.cancel"), run: cancel });
  return (
    <WorkLine label={label} part={part} cancelLabel={t("narrate.export.cancel")} onCancel={cancel}>
      {label} ·{" "}
      {part === undefined ? (
        <Taken sinceMs={sinceMs} />
      ) : (
        t("narrate.progress.percent", { percent: Math.floor(part * 100) })
      )}
      {part !== undefined &&
        part > 0 &&
        part < 1 &&
        secSince(sinceMs) >= minPaceSec &&
        ` · ${t("narrate.progress.left", { left: formatTime((secSince(sinceMs) / part) * (1 - part)) })}`}
    </WorkLine>
  );
}

const secSince = (sinceMs: number): number => (Date.now() - sinceMs) / 1000;

/** As long as nothing else tells that it is alive. Not read out: it would be every second. */
function Taken({ sinceMs }: { sinceMs: number }) {
  const [sec, setSec] = useState(() => secSince(sinceMs));
  useEffect(() => {
    const timer = setInterval(() => setSec(secSince(sinceMs)), 1000);
    return () => clearInterval(timer);
  }, [sinceMs]);
  return <span role="timer">{formatTime(sec)}</span>;
}
