// Progress of an export with a stop button, below the title, whatever panel is open.

import { useEffect, useState } from "react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { useAction } from "../../../stores/actions.ts";
import { useNarration } from "../use-narration.ts";
import { ProgressLine } from "../progress-line.tsx";
import type { AudiobookState } from "./audiobook-store.ts";

/** An estimate from less elapsed time is unreliable. */
const minEstimateSec = 3;

/** Renders whenever the app reports progress. */
export function ExportProgress({
  exportProgress: { sinceMs, progress },
}: {
  exportProgress: NonNullable<AudiobookState["exportProgress"]>;
}) {
  const { cancel } = useNarration().open.audiobook;
  const label = t("narrate.export.running");
  useAction({ id: "narrate.export.cancel", title: t("narrate.export.cancel"), run: cancel });
  return (
    <ProgressLine
      label={label}
      progress={progress}
      cancelLabel={t("narrate.export.cancel")}
      onCancel={cancel}
    >
      {label} ·{" "}
      {progress === undefined ? (
        <ElapsedTime sinceMs={sinceMs} />
      ) : (
        t("narrate.progress.percent", { percent: Math.floor(progress * 100) })
      )}
      {progress !== undefined &&
        progress > 0 &&
        progress < 1 &&
        secondsSince(sinceMs) >= minEstimateSec &&
        ` · ${t("narrate.progress.left", { left: formatTime((secondsSince(sinceMs) / progress) * (1 - progress)) })}`}
    </ProgressLine>
  );
}

const secondsSince = (sinceMs: number): number => (Date.now() - sinceMs) / 1000;

/** Shown until there is progress. Hidden from screen readers, which would announce it every second. */
function ElapsedTime({ sinceMs }: { sinceMs: number }) {
  const [elapsedSec, setElapsedSec] = useState(() => secondsSince(sinceMs));
  useEffect(() => {
    const timer = setInterval(() => setElapsedSec(secondsSince(sinceMs)), 1000);
    return () => clearInterval(timer);
  }, [sinceMs]);
  return <span role="timer">{formatTime(elapsedSec)}</span>;
}
