// Find and replace in all transcripts: every place is shown first, items can be left out, and it can be taken back.

import { useState } from "react";
import { t } from "../../messages/messages.ts";
import { useTask } from "../../stores/task.ts";
import { type UndoStep, useCanUndo, useUndo } from "../../stores/undo.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { replacedParts } from "./replaced-parts.ts";
import { preview, replaceAll, type Match, type Wanted } from "./replacing.ts";

type Found = { readonly wanted: Wanted; readonly matches: readonly Match[] };

const rowHeightPx = 52;

/** Of its item: it can be left out there. */
const isFirst = (matches: readonly Match[], index: number): boolean =>
  matches[index - 1]?.itemId !== matches[index]?.itemId;

export function ReplacePanel({ onClose }: { onClose: () => void }) {
  const [wanted, setWanted] = useState<Wanted>({ find: "", replaceBy: "", isCaseSensitive: false });
  const [found, setFound] = useState<Found>();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<{ count: number; step: UndoStep }>();
  const canUndo = useCanUndo(done?.step);
  const task = useTask();
  const change = (patch: Partial<Wanted>) => {
    setWanted({ ...wanted, ...patch });
    setFound(undefined);
    setDone(undefined);
    // What is being looked for is another text now.
    task.cancel();
    task.clear();
  };
  const look = () =>
    void task.run(async (signal) => {
      setFound({ wanted, matches: await preview(wanted, signal) });
      setLeft(new Set());
      setDone(undefined);
    });
  const chosen = found?.matches.filter(({ itemId }) => !left.has(itemId)) ?? [];
  const replace = () =>
    void task.run(async () => {
      if (found === undefined) return;
      setDone(await replaceAll(found.wanted, [...new Set(chosen.map(({ itemId }) => itemId))]));
      setFound(undefined);
    });
  return (
    <section
      className="library-replace"
      aria-label={t("library.replace")}
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <form
        className="library-replace-fields"
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <TextField
          label={t("library.replace.find")}
          autoFocus
          maxLength={300}
          value={wanted.find}
          onChange={({ currentTarget: { value } }) => change({ find: value })}
        />
        <TextField
          label={t("library.replace.by")}
          maxLength={300}
          value={wanted.replaceBy}
          onChange={({ currentTarget: { value } }) => change({ replaceBy: value })}
        />
        <div className="library-replace-case">
          <Checkbox
            label={t("library.replace.case")}
            checked={wanted.isCaseSensitive}
            onChange={({ currentTarget: { checked } }) => change({ isCaseSensitive: checked })}
          />
        </div>
        <Button
          type="submit"
          kind={found === undefined ? "primary" : "secondary"}
          isBusy={task.isBusy && found === undefined}
          disabledReason={wanted.find === "" ? t("library.replace.nothing") : undefined}
        >
          {t("library.replace.preview")}
        </Button>
        {found !== undefined && found.matches.length > 0 && (
          <Button
            kind="primary"
            isBusy={task.isBusy}
            disabledReason={chosen.length === 0 ? t("library.replace.noneChosen") : undefined}
            onClick={replace}
          >
            {t("library.replace.verb", { count: chosen.length })}
          </Button>
        )}
        <Button kind="quiet" onClick={onClose}>
          {t("shell.close")}
        </Button>
      </form>
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      {done !== undefined && canUndo && (
        <Notice
          action={
            <Button isSmall onClick={() => void useUndo.getState().undo(done.step)}>
              {t("shell.undo")}
            </Button>
          }
        >
          {t("library.replace.done", { count: done.count })}
        </Notice>
      )}
      {found?.matches.length === 0 && (
        <Notice>{t("library.replace.none", { find: found.wanted.find })}</Notice>
      )}
      {found !== undefined && found.matches.length > 0 && (
        <VirtualList
          label={t("library.replace.matches")}
          className="library-matches"
          count={found.matches.length}
          rowHeight={rowHeightPx}
          isStop={(index) => isFirst(found.matches, index)}
          keyOf={(index) => `${found.matches[index]?.itemId} ${found.matches[index]?.segmentId}`}
          row={(index) => {
            const match = found.matches[index];
            if (match === undefined) return null;
            return (
              <div
                className={`library-match ${left.has(match.itemId) ? "library-match-left" : ""}`}
              >
                {isFirst(found.matches, index) && (
                  <Checkbox
                    label={match.title}
                    checked={!left.has(match.itemId)}
                    onChange={({ currentTarget: { checked } }) =>
                      setLeft((before) =>
                        checked
                          ? new Set([...before].filter((id) => id !== match.itemId))
                          : new Set([...before, match.itemId]),
                      )
                    }
                  />
                )}
                <p className="library-match-text">
                  {replacedParts(
                    match.before,
                    found.wanted.find,
                    found.wanted.replaceBy,
                    found.wanted.isCaseSensitive,
                  ).map(({ kind, text }, at) =>
                    kind === "same" ? (
                      text
                    ) : kind === "gone" ? (
                      <del key={at}>{text}</del>
                    ) : (
                      <ins key={at}>{text}</ins>
                    ),
                  )}
                </p>
              </div>
            );
          }}
        />
      )}
    </section>
  );
}
