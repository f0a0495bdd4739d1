// Check: transcribes the narration and lists sentences whose words do not match.

import { Ear } from "lucide-react";
import { call } from "../../../api/client.ts";
import { t } from "../../../messages/messages.ts";
import { storeItem } from "../../../stores/items.ts";
import { type Task, useTask } from "../../../stores/task.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { useNarration, useScript } from "../use-narration.ts";

type Check = {
  readonly task: Task;
  /** Why the check is not available. */
  readonly disabledReason: string | undefined;
  start(): void;
};

/** For the tab, and for the command, which is available whatever tab is open. */
export function useCheck(): Check {
  const { item, open } = useNarration();
  const hasGenerated = useScript((state) => state.sentences.some(({ takes }) => takes.length > 0));
  const task = useTask();
  return {
    task,
    disabledReason: hasGenerated
      ? item.state === "running"
        ? t("narrate.is-running")
        : undefined
      : t("narrate.check.nothing"),
    start: () =>
      void task.run(async () => {
        await open.store.save();
        storeItem(await call("checkReading", {}, item.id));
      }),
  };
}

export function CheckTab({ check: { task, disabledReason, start } }: { check: Check }) {
  const { open } = useNarration();
  const sentences = useScript((state) => state.sentences);
  const generatedSentences = sentences.filter(({ takes }) => takes.length > 0);
  const checkedSentences = generatedSentences.filter(({ missed }) => missed !== undefined);
  const wrong = checkedSentences.filter(({ missed = [] }) => missed.length > 0);
  const regenerateMisread = (): void =>
    void task.run(() => open.generate({ sentenceIds: wrong.map(({ id }) => id), isNewTake: true }));
  return (
    <>
      <p className="field-help">{t("narrate.check.about")}</p>
      <div>
        <Button
          isSmall
          icon={<Ear aria-hidden />}
          isBusy={task.isBusy}
          disabledReason={disabledReason}
          onClick={start}
        >
          {t("narrate.check")}
        </Button>
      </div>
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      {checkedSentences.length > 0 && (
        <p className="secondary" role="status">
          {checkedSentences.length < sentences.length
            ? t("narrate.check.partial", {
                checked: checkedSentences.length,
                all: sentences.length,
                wrong: wrong.length,
              })
            : wrong.length === 0
              ? t("narrate.check.good", { count: checkedSentences.length })
              : t("narrate.check.result", { wrong: wrong.length, all: checkedSentences.length })}
        </p>
      )}
      {wrong.length > 0 && (
        <>
          <div>
            <Button isSmall isBusy={task.isBusy} onClick={regenerateMisread}>
              {t("narrate.check.regenerate", { count: wrong.length })}
            </Button>
          </div>
          <ul className="narrate-missed">
            {wrong.map(({ id, text, missed = [] }) => (
              <li key={id}>
                <button type="button" onClick={() => open.view.setState({ scrollTarget: { id } })}>
                  <span>{text}</span>
                  <small className="secondary">
                    {t("narrate.check.missed", { words: missed.join(", ") })}
                  </small>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
