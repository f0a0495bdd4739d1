// Find and replace in all transcripts: preview of every match, items can be excluded, one undo.

import { useState } from "react";
import { t } from "../../messages/messages.ts";
import { useTask } from "../../stores/task.ts";
import { type UndoStep, useCanUndo, useUndo } from "../../stores/undo.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { replacedParts } from "./replaced-parts.ts";
import { preview, replaceAll, type Match, type ReplaceQuery } from "./find-and-replace.ts";

type PreviewResult = { readonly query: ReplaceQuery; readonly matches: readonly Match[] };

const rowHeightPx = 52;

/** The first match of an item has the checkbox that excludes the item. */
const isFirstOfItem = (matches: readonly Match[], index: number): boolean =>
  matches[index - 1]?.itemId !== matches[index]?.itemId;

type Replacement = ReturnType<typeof useReplacement>;

/** What is replaced by what, the preview of it, and the items left out of it. */
function useReplacement() {
  const [query, setQuery] = useState<ReplaceQuery>({
    find: "",
    replaceBy: "",
    isCaseSensitive: false,
  });
  const [results, setResults] = useState<PreviewResult>();
  const [excludedItemIds, setExcludedItemIds] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<{ count: number; step: UndoStep }>();
  const task = useTask();
  const change = (patch: Partial<ReplaceQuery>) => {
    setQuery({ ...query, ...patch });
    setResults(undefined);
    setDone(undefined);
    // The query changed: the running preview is obsolete.
    task.cancel();
    task.clear();
  };
  const loadPreview = () =>
    void task.run(async (signal) => {
      setResults({ query, matches: await preview(query, signal) });
      setExcludedItemIds(new Set());
      setDone(undefined);
    });
  const chosen = results?.matches.filter(({ itemId }) => !excludedItemIds.has(itemId)) ?? [];
  const replace = () =>
    void task.run(async () => {
      if (results === undefined) return;
      setDone(await replaceAll(results.query, [...new Set(chosen.map(({ itemId }) => itemId))]));
      setResults(undefined);
    });
  const setExcluded = (itemId: string, isExcluded: boolean) =>
    setExcludedItemIds((before) =>
      isExcluded
        ? new Set([...before, itemId])
        : new Set([...before].filter((id) => id !== itemId)),
    );
  return {
    query,
    change,
    results,
    loadPreview,
    excludedItemIds,
    setExcluded,
    chosenCount: chosen.length,
    replace,
    done,
    task,
  };
}

export function ReplacePanel({ onClose }: { onClose: () => void }) {
  const replacement = useReplacement();
  const { results, done, task } = replacement;
  const canUndo = useCanUndo(done?.step);
  return (
    <section
      className="library-replace"
      aria-label={t("library.replace")}
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <ReplaceForm replacement={replacement} onClose={onClose} />
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      {done !== undefined && canUndo && (
        <Notice
          action={
            <Button isSmall onClick={() => void useUndo.getState().undo(done.step)}>
              {t("frame.undo")}
            </Button>
          }
        >
          {t("library.replace.done", { count: done.count })}
        </Notice>
      )}
      {results?.matches.length === 0 && (
        <Notice>{t("library.replace.none", { find: results.query.find })}</Notice>
      )}
      {results !== undefined && results.matches.length > 0 && (
        <MatchList results={results} replacement={replacement} />
      )}
    </section>
  );
}

function ReplaceForm({ replacement, onClose }: { replacement: Replacement; onClose: () => void }) {
  const { query, change, results, loadPreview, chosenCount, replace, task } = replacement;
  return (
    <form
      className="library-replace-fields"
      onSubmit={(event) => {
        event.preventDefault();
        loadPreview();
      }}
    >
      <TextField
        label={t("library.replace.find")}
        autoFocus
        maxLength={300}
        value={query.find}
        onChange={({ currentTarget: { value } }) => change({ find: value })}
      />
      <TextField
        label={t("library.replace.by")}
        maxLength={300}
        value={query.replaceBy}
        onChange={({ currentTarget: { value } }) => change({ replaceBy: value })}
      />
      <div className="library-replace-case">
        <Checkbox
          label={t("library.replace.case")}
          checked={query.isCaseSensitive}
          onChange={({ currentTarget: { checked } }) => change({ isCaseSensitive: checked })}
        />
      </div>
      <Button
        type="submit"
        kind={results === undefined ? "primary" : "secondary"}
        isBusy={task.isBusy && results === undefined}
        disabledReason={query.find === "" ? t("library.replace.nothing") : undefined}
      >
        {t("library.replace.preview")}
      </Button>
      {results !== undefined && results.matches.length > 0 && (
        <Button
          kind="primary"
          isBusy={task.isBusy}
          disabledReason={chosenCount === 0 ? t("library.replace.noneChosen") : undefined}
          onClick={replace}
        >
          {t("library.replace.verb", { count: chosenCount })}
        </Button>
      )}
      <Button kind="quiet" onClick={onClose}>
        {t("frame.close")}
      </Button>
    </form>
  );
}

/** Every match, as it would be after replacing; an item's checkbox excludes all of its matches. */
function MatchList({ results, replacement }: { results: PreviewResult; replacement: Replacement }) {
  const { excludedItemIds, setExcluded } = replacement;
  return (
    <VirtualList
      label={t("library.replace.matches")}
      className="library-matches"
      count={results.matches.length}
      rowHeight={rowHeightPx}
      isFocusable={(index) => isFirstOfItem(results.matches, index)}
      keyOf={(index) => `${results.matches[index]?.itemId} ${results.matches[index]?.segmentId}`}
      row={(index) => {
        const match = results.matches[index];
        if (match === undefined) return null;
        return (
          <MatchRow
            match={match}
            query={results.query}
            isFirst={isFirstOfItem(results.matches, index)}
            isExcluded={excludedItemIds.has(match.itemId)}
            onExclude={(isExcluded) => setExcluded(match.itemId, isExcluded)}
          />
        );
      }}
    />
  );
}

function MatchRow({
  match,
  query,
  isFirst,
  isExcluded,
  onExclude,
}: {
  match: Match;
  query: ReplaceQuery;
  isFirst: boolean;
  isExcluded: boolean;
  onExclude: (isExcluded: boolean) => void;
}) {
  return (
    <div className={`library-match ${isExcluded ? "library-match-left" : ""}`}>
      {isFirst && (
        <Checkbox
          label={match.title}
          checked={!isExcluded}
          onChange={({ currentTarget: { checked } }) => onExclude(!checked)}
        />
      )}
      <p className="library-match-text">
        {replacedParts(match.before, query.find, query.replaceBy, query.isCaseSensitive).map(
          ({ kind, text }, at) =>
            kind === "same" ? (
              text
            ) : kind === "removed" ? (
              <del key={at}>{text}</del>
            ) : (
              <ins key={at}>{text}</ins>
            ),
        )}
      </p>
    </div>
  );
}
