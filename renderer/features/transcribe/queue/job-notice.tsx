// Status of an unfinished item: progress with a cancel button, or why it failed and what to do.

import "./job-notice.css";
import { useState } from "react";
import type { Item } from "../../../../main/contract/library-item.ts";
import { messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { localize } from "../../../messages/localize.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Progress } from "../../../ui/progress.tsx";
import {
  cancelTranscription,
  finishRecording,
  isInProgress,
  isResumable,
  resumeTranscription,
  retranscribeItem,
} from "./item-actions.ts";
import { stateText } from "./state-text.ts";

type ActionState = { isBusy: boolean; error: string | undefined };

/** `isRecordedHere`: this window is recording it. */
export function JobNotice({ item, isRecordedHere }: { item: Item; isRecordedHere: boolean }) {
  const [actionState, setActionState] = useState<ActionState>({ isBusy: false, error: undefined });
  const run = async (work: (item: Item) => Promise<void>): Promise<void> => {
    setActionState({ isBusy: true, error: undefined });
    try {
      await work(item);
      setActionState({ isBusy: false, error: undefined });
    } catch (error) {
      setActionState({ isBusy: false, error: messageOf(error) });
    }
  };
  const error =
    actionState.error === undefined ? null : <Notice tone="bad">{actionState.error}</Notice>;
  if (item.state === "done" || isRecordedHere)
    return error && <div className="job-notice">{error}</div>;
  if (isInProgress(item)) {
    return (
      <div className="job-notice">
        <div className="job-notice-progress">
          <Progress
            label={stateText(item)}
            fraction={item.state === "waiting" ? undefined : item.progress}
          />
          <span className="job-notice-state figures" role="status">
            {stateText(item)}
          </span>
          <Button isSmall isBusy={actionState.isBusy} onClick={() => void run(cancelTranscription)}>
            {t("transcribe.cancel")}
          </Button>
        </div>
        {error}
      </div>
    );
  }
  const isAbandonedRecording = item.state === "recording";
  const [actionLabel, action] = isAbandonedRecording
    ? [t("transcribe.record.finish"), finishRecording]
    : isResumable(item)
      ? [t("transcribe.resume"), resumeTranscription]
      : [t("transcribe.try-again"), retranscribeItem];
  return (
    <div className="job-notice">
      <Notice
        tone={item.state === "failed" ? "bad" : "plain"}
        action={
          <Button isSmall isBusy={actionState.isBusy} onClick={() => void run(action)}>
            {actionLabel}
          </Button>
        }
      >
        {isAbandonedRecording
          ? t("transcribe.record.elsewhere")
          : item.error === undefined
            ? stateText(item)
            : localize({ message: item.error, ...item.errorReference })}
      </Notice>
      {error}
    </div>
  );
}
