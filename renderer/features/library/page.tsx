// The Library page: search, filter, rename, tag, remove, restore, export and import items.

import "./library.css";
import { Download, LibraryBig, Replace, Search, SearchX } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Item, SearchHit } from "../../../main/contract/studio.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/error.ts";
import { libraryUrl } from "../../api/binary.ts";
import { formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { downloadUrl } from "../../bridge/bridge.ts";
import { loadItems, useItems } from "../../stores/items.ts";
import { go, useRoute } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { type UndoStep, useCanUndo, useUndo } from "../../stores/undo.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Select } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { HitList, hitPath } from "./hit-list.tsx";
import {
  restoreAndReload,
  removeItem,
  removeItems,
  rename,
  changeTags,
  changeTagsOfAll,
} from "./item-changes.ts";
import { ItemList } from "./item-list.tsx";
import { ReplacePanel } from "./replace-panel.tsx";
import { ImportButton, ImportNotice, useLibraryImport } from "./library-import.tsx";
import { extendSelection, nothingSelected, toggleSelected, keepListed } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { orders, filterItems, tagsOf, type Order, type View, views } from "./filter-items.ts";

/** Debounce while typing. */
const searchDelayMs = 120;

export function Page() {
  const { byId, totalBytes, isLoaded, error } = useItems();
  const [typed, setTyped] = useTypedQuery();
  const [view, setView] = useState<View>("all");
  const [tag, setTag] = useState("");
  const [order, setOrder] = useState<Order>("newest");
  const [isReplacing, setReplacing] = useState(false);
  const [removed, setRemoved] = useState<readonly Item[]>();
  const [note, setNote] = useState<{ text: string; step?: UndoStep }>();
  const canUndo = useCanUndo(note?.step);
  const field = useRef<HTMLInputElement>(null);
  const { hits, error: searchError } = useSearch(typed);
  const removedTask = useTask();
  const [chosen, setChosen] = useState(nothingSelected);
  const libraryImport = useLibraryImport();

  // Only the app knows the size of removed items.
  useEffect(() => void loadItems(), []);
  const loadRemoved = () =>
    void removedTask.run(async (signal) =>
      setRemoved((await call("listItems", { isDeleted: "true" }, "", signal)).items),
    );
  // There may be thousands of items, so do not filter them again for every typed letter.
  const items = useMemo(
    () => filterItems(view === "removed" ? (removed ?? []) : byId.values(), { view, tag, order }),
    [view, removed, byId, tag, order],
  );
  const tags = useMemo(() => tagsOf(byId.values()), [byId]);
  const usedBytes = useMemo(
    () => [...byId.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    [byId],
  );
  const listedIds = useMemo(() => items.map(({ id }) => id), [items]);
  const selection = useMemo(
    () => (view === "removed" ? nothingSelected : keepListed(chosen, new Set(listedIds))),
    [chosen, listedIds, view],
  );
  const selected = useMemo(
    () => items.filter(({ id }) => selection.ids.has(id)),
    [items, selection],
  );
  const isSearching = typed.trim() !== "";
  const isEmpty = isLoaded && byId.size === 0 && view !== "removed";
  useAction({
    id: "library.search",
    title: t("library.search"),
    keys: "/",
    run: () => field.current?.focus(),
  });
  useAction({
    id: "library.selectAll",
    title: t("library.select.all"),
    keys: "mod+a",
    disabledReason:
      items.length === 0 || view === "removed" || isSearching
        ? t("library.select.none")
        : undefined,
    run: () => setChosen({ ids: new Set(listedIds), anchor: listedIds[0] }),
  });
  useAction({
    id: "library.exportAll",
    title: t("library.exportAll"),
    disabledReason: isEmpty ? t("library.none") : undefined,
    run: () => downloadUrl(libraryUrl()),
  });
  useAction({
    id: "library.replace",
    title: t("library.replace"),
    keys: "h",
    run: () => setReplacing(true),
  });

  const removedBytes = Math.max(0, totalBytes - usedBytes);
  const fail = (failure: unknown): void => setNote({ text: messageOf(failure) });
  const restore = async (item: Item): Promise<void> => {
    try {
      await restoreAndReload(item);
      setRemoved((before) => before?.filter(({ id }) => id !== item.id));
      setNote(undefined);
    } catch (failure) {
      fail(failure);
    }
  };
  /** Shows what was done, with an undo button. */
  const showResult = (work: Promise<UndoStep>, text: string): void =>
    void work.then((step) => setNote({ text, step }), fail);
  const remove = (all: readonly Item[]): void =>
    showResult(removeItems(all), t("library.bulk.removed", { count: all.length }));

  return (
    <PageFrame
      title={t("shell.page.library")}
      about={t("library.about")}
      actions={
        <>
          <Button
            icon={<Replace aria-hidden />}
            aria-pressed={isReplacing}
            disabledReason={isEmpty ? t("library.none") : undefined}
            onClick={() => setReplacing(!isReplacing)}
          >
            {t("library.replace")}
          </Button>
          <ImportButton importTask={libraryImport} />
          {isEmpty ? (
            <Button icon={<Download aria-hidden />} disabledReason={t("library.none")}>
              {t("library.exportAll")}
            </Button>
          ) : (
            <a className="button button-secondary" href={libraryUrl()} download>
              <Download aria-hidden />
              {t("library.exportAll")}
            </a>
          )}
        </>
      }
    >
      <ImportNotice importTask={libraryImport} />
      <div className="library-bar">
        <div className="library-search">
          <Search aria-hidden />
          <input
            ref={field}
            type="search"
            className="input"
            aria-label={t("library.search")}
            placeholder={t("library.search.example")}
            spellCheck={false}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            onKeyDown={(event) => {
              const [first] = hits ?? [];
              if (event.key === "Escape") setTyped("");
              if (event.key === "Enter" && first !== undefined) go(hitPath(first, typed));
              if (event.key === "ArrowDown") {
                event.preventDefault();
                document
                  .querySelector<HTMLElement>(
                    '.library-body .library-hit, .library-body a.library-title[tabindex="0"]',
                  )
                  ?.focus();
              }
            }}
          />
        </div>
        {!isSearching && selected.length > 0 && (
          <SelectionBar
            items={selected}
            onTag={(add, drop) =>
              changeTagsOfAll(selected, add, drop).then(() => setNote(undefined))
            }
            onRemove={() => remove(selected)}
            onClear={() => setChosen(nothingSelected)}
            onFail={fail}
          />
        )}
        {!isSearching && selected.length === 0 && (
          <>
            <Segmented
              label={t("library.view")}
              value={view}
              choices={views.map((value) => ({ value, label: t(`library.view.${value}`) }))}
              onChange={(next) => {
                setView(next);
                if (next === "removed") loadRemoved();
              }}
            />
            {tags.length > 0 && (
              <Select
                label={t("library.tag")}
                isLabelHidden
                isQuiet
                value={tags.includes(tag) ? tag : ""}
                onChange={({ currentTarget: { value } }) => setTag(value)}
              >
                <option value="">{t("library.tag.all")}</option>
                {tags.map((each) => (
                  <option key={each} value={each}>
                    #{each}
                  </option>
                ))}
              </Select>
            )}
            <Select
              label={t("library.order")}
              isLabelHidden
              isQuiet
              value={order}
              onChange={({ currentTarget: { value } }) =>
                setOrder(orders.find((each) => each === value) ?? "newest")
              }
            >
              {orders.map((each) => (
                <option key={each} value={each}>
                  {t(`library.order.${each}`)}
                </option>
              ))}
            </Select>
          </>
        )}
        {isSearching ? (
          <span className="library-storage" role="status">
            {hits !== undefined &&
              hits.length > 0 &&
              t("library.hits.shown", {
                count: hits.length,
                items: new Set(hits.map(({ itemId }) => itemId)).size,
              })}
          </span>
        ) : (
          <span className="library-storage" title={t("library.storage")}>
            {removedBytes > 0
              ? t("library.storage.both", {
                  count: byId.size,
                  size: formatSize(usedBytes),
                  removed: formatSize(removedBytes),
                })
              : t("library.storage.used", { count: byId.size, size: formatSize(usedBytes) })}
          </span>
        )}
      </div>
      {isReplacing && <ReplacePanel onClose={() => setReplacing(false)} />}
      {[error, searchError, view === "removed" ? removedTask.error : undefined].map(
        (text, index) =>
          text !== undefined && (
            <div key={index} className="library-note">
              <Notice tone="bad">{text}</Notice>
            </div>
          ),
      )}
      {note !== undefined && (note.step === undefined || canUndo) && (
        <div className="library-note">
          <Notice
            tone={note.step === undefined ? "bad" : "plain"}
            action={
              <>
                {note.step !== undefined && (
                  <Button isSmall onClick={() => void useUndo.getState().undo(note.step)}>
                    {t("shell.undo")}
                  </Button>
                )}
                <Button isSmall kind="quiet" onClick={() => setNote(undefined)}>
                  {t("shell.dismiss")}
                </Button>
              </>
            }
          >
            {note.text}
          </Notice>
        </div>
      )}
      <div className="library-body">
        {isSearching &&
          hits !== undefined &&
          (hits.length === 0 ? (
            <EmptyState
              icon={<SearchX aria-hidden />}
              title={t("library.search.none")}
              text={t("library.search.none.text")}
            />
          ) : (
            <HitList hits={hits} query={typed} />
          ))}
        {!isSearching && isEmpty && (
          <EmptyState
            icon={<LibraryBig aria-hidden />}
            title={t("library.none")}
            text={t("library.none.text")}
          >
            <Button kind="primary" onClick={() => go("/transcribe")}>
              {t("shell.page.transcribe")}
            </Button>
          </EmptyState>
        )}
        {!isSearching &&
          !isEmpty &&
          isLoaded &&
          items.length === 0 &&
          (view !== "removed" || removed !== undefined) && (
            <EmptyState
              title={view === "removed" ? t("library.removed.none") : t("library.noMatch")}
              text={view === "removed" ? t("library.removed.none.text") : undefined}
            />
          )}
        {!isSearching && items.length > 0 && (
          <ItemList
            items={items}
            isRemoved={view === "removed"}
            selected={selection.ids}
            actions={{
              // Hides the note about an earlier removal.
              rename: (item, title) => rename(item, title).then(() => setNote(undefined)),
              changeTags: (item, to) => changeTags(item, to).then(() => setNote(undefined)),
              filter: setTag,
              remove: (item) =>
                selection.ids.has(item.id)
                  ? remove(selected)
                  : showResult(removeItem(item), t("library.removed.note", { title: item.title })),
              select: (item, isRange) =>
                setChosen((now) =>
                  isRange ? extendSelection(now, listedIds, item.id) : toggleSelected(now, item.id),
                ),
              restore: (item) => void restore(item),
            }}
          />
        )}
      </div>
    </PageFrame>
  );
}

/** The search text, kept in the address, so that going back from a hit shows the results again. */
function useTypedQuery(): readonly [string, (typed: string) => void] {
  const { page, query } = useRoute();
  const q = query.get("q") ?? "";
  const [typed, setTyped] = useState(q);
  const writtenQuery = useRef(q);
  useEffect(() => {
    // Ignores the address that this hook wrote while the user types on.
    if (page !== "library" || q === writtenQuery.current) return;
    writtenQuery.current = q;
    setTyped(q);
  }, [page, q]);
  useEffect(() => {
    if (typed === writtenQuery.current) return undefined;
    const timer = setTimeout(() => {
      writtenQuery.current = typed;
      go(typed === "" ? "/library" : `/library?q=${encodeURIComponent(typed)}`, { replace: true });
    }, searchDelayMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}

/** Hits for the typed text; the previous ones stay until newer ones arrive. */
function useSearch(typed: string): {
  hits: readonly SearchHit[] | undefined;
  error: string | undefined;
} {
  const [hits, setHits] = useState<readonly SearchHit[]>();
  const { run, cancel, error } = useTask();
  useEffect(() => {
    const q = typed.trim().slice(0, 300);
    if (q === "") return setHits(undefined);
    const timer = setTimeout(
      () => void run(async (signal) => setHits((await call("search", { q }, "", signal)).hits)),
      searchDelayMs,
    );
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, [typed, run, cancel]);
  return { hits, error };
}
