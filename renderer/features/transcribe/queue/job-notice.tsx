// How the work on an item stands, where it is not done: progress with a cancel beside it, why it failed and what to do.

import "./job-notice.css";
import { useState } from "react";
import type { Item } from "../../../../main/contract/studio.ts";
import { messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { told } from "../../../messages/told.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Progress } from "../../../ui/progress.tsx";
import { cancelWork, finishRecording, isAtWork, workAgain } from "./item-work.ts";
import { stateText } from "./state-text.ts";

type Doing = { isBusy: boolean; error: string | undefined };

/** `isOurs`: this window records it. */
export function JobNotice({ item, isOurs }: { item: Item; isOurs: boolean }) {
  const [doing, setDoing] = useState<Doing>({ isBusy: false, error: undefined });
  const run = async (work: (item: Item) => Promise<void>): Promise<void> => {
    setDoing({ isBusy: true, error: undefined });
    try {
      await work(item);
      setDoing({ isBusy: false, error: undefined });
    } catch (error) {
      setDoing({ isBusy: false, error: messageOf(error) });
    }
  };
  const error = doing.error === undefined ? null : <Notice tone="bad">{doing.error}</Notice>;
  if (item.state === "done" || isOurs) return error && <div className="job-notice">{error}</div>;
  if (isAtWork(item)) {
    return (
      <div className="job-notice">
        <div className="job-notice-progress">
          <Progress
            label={stateText(item)}
            part={item.state === "waiting" ? undefined : item.progress}
          />
          <span className="job-notice-state figures" role="status">
            {stateText(item)}
          </span>
          <Button isSmall isBusy={doing.isBusy} onClick={() => void run(cancelWork)}>
            {t("transcribe.cancel")}
          </Button>
        </div>
        {error}
      </div>
    );
  }
  const isLeft = item.state === "recording";
  const verb = isLeft ? t("transcribe.record.finish") : t("transcribe.try-again");
  return (
    <div className="job-notice">
      <Notice
        tone={item.state === "failed" ? "bad" : "plain"}
        action={
          <Button
            isSmall
            isBusy={doing.isBusy}
            onClick={() => void run(isLeft ? finishRecording : workAgain)}
          >
            {verb}
          </Button>
        }
      >
        {isLeft
          ? t("transcribe.record.elsewhere")
          : item.error === undefined
            ? stateText(item)
            : told(item.error)}
      </Notice>
      {error}
    </div>
  );
}
