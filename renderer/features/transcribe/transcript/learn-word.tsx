// Below a segment that was just edited: one click adds the corrected word to the vocabulary.

import { BookPlus, X } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { maxWordCharacters } from "../../../../main/contract/vocabulary.ts";
import { call } from "../../../api/client.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { findCorrection, type WordCorrection } from "../document/find-correction.ts";

/** What the last visit of the text corrected. @param editSession undefined while nobody edits it */
export function useCorrection(text: string, editSession: number | undefined) {
  const [correction, setCorrection] = useState<WordCorrection>();
  const before = useRef<string>(undefined);
  const current = useRef(text);
  current.current = text;
  useLayoutEffect(() => {
    if (editSession !== undefined) {
      before.current = current.current;
      setCorrection(undefined);
    } else if (before.current !== undefined) {
      const found = findCorrection(before.current, current.current);
      if (found !== undefined && found.word.length <= maxWordCharacters) setCorrection(found);
      before.current = undefined;
    }
  }, [editSession]);
  return { correction, dismiss: () => setCorrection(undefined) };
}

type LearnWordProps = {
  correction: WordCorrection;
  /** Of the segment. */
  language: string;
  onClose: () => void;
};

export function LearnWord({ correction, language, onClose }: LearnWordProps) {
  const { word, heard } = correction;
  const [isLearnt, setLearnt] = useState(false);
  const { isBusy, error, run } = useTask();
  const learn = (): void =>
    void run(async (signal) => {
      // Only English has a dictionary that tells whether what was heard may be meant the next time.
      const isReplaced = language === "en" && heard.length <= maxWordCharacters;
      await call("learnWord", { word, heard: isReplaced ? heard : "" }, "", signal);
      setLearnt(true);
    });
  return (
    <div className="learn-word" onKeyDown={(event) => event.stopPropagation()}>
      {isLearnt ? (
        <span className="secondary" role="status">
          {t("transcribe.learn.done", { word })}
        </span>
      ) : (
        <Button
          isSmall
          kind="quiet"
          icon={<BookPlus aria-hidden />}
          isBusy={isBusy}
          onClick={learn}
        >
          {t("transcribe.learn", { word })}
        </Button>
      )}
      <IconButton label={t("transcribe.learn.close")} isSmall onClick={onClose}>
        <X aria-hidden />
      </IconButton>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
    </div>
  );
}
