// Shows a recording in the window's title, for users who look at another tab or program.

import { useEffect } from "react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { useRecordings } from "../stores/recording.ts";

export function useRecordingTitle(): void {
  const first = useRecordings(({ recordings }) => recordings[0]);
  const title =
    first === undefined
      ? "Hearsay"
      : t(first.phase === "paused" ? "frame.recording.title.paused" : "frame.recording.title", {
          time: formatTime(first.sec),
        });
  useEffect(() => {
    document.title = title;
  }, [title]);
}
