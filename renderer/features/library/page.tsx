// The Library page: search, filter, rename, tag, remove, restore, export and import items.

import "./library.css";
import { Download, LibraryBig, Replace, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { libraryUrl } from "../../api/binary.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { downloadUrl } from "../../bridge/bridge.ts";
import { loadItems, useItems } from "../../stores/items.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { go } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { HitList } from "./hit-list.tsx";
import { removeItem, removeItems, rename, changeTags, changeTagsOfAll } from "./item-changes.ts";
import { ItemList } from "./item-list.tsx";
import type { ItemActions } from "./item-row.tsx";
import { LibraryBar } from "./library-bar.tsx";
import { ConfirmDeletion, RemovedBar, useRemovedItems } from "./removed-items.tsx";
import { ReplacePanel } from "./replace-panel.tsx";
import { ImportButton, ImportNotice, useLibraryImport } from "./library-import.tsx";
import { ResultNote, useResultNote } from "./result-note.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { type Listing, useListing, useSelection } from "./use-listing.ts";
import { type Search, useSearch } from "./use-search.ts";

export function Page() {
  const { error } = useItems();
  const search = useSearch();
  const listing = useListing();
  const selection = useSelection(listing);
  const [isReplacing, setReplacing] = useState(false);
  const { note, ...results } = useResultNote();
  const field = useRef<HTMLInputElement>(null);
  const libraryImport = useLibraryImport();
  // Only the app knows the size of removed items.
  useEffect(() => void loadItems(), []);
  useLibraryActions({
    listing,
    isSearching: search.isSearching,
    focusSearch: () => field.current?.focus(),
    selectAll: selection.selectAll,
    openReplace: () => setReplacing(true),
  });
  const removed = useRemovedItems(listing, results);
  const removeSelected = (): void =>
    results.showResult(
      removeItems(selection.items),
      t("library.bulk.removed", { count: selection.items.length }),
    );
  const itemActions: Omit<ItemActions, "edit"> = {
    // Hides the note about an earlier removal.
    rename: (item, title) => rename(item, title).then(results.clear),
    changeTags: (item, tags) => changeTags(item, tags).then(results.clear),
    filter: listing.setTag,
    remove: (item) =>
      selection.ids.has(item.id)
        ? removeSelected()
        : results.showResult(removeItem(item), t("library.removed.note", { title: item.title })),
    select: ({ id }, isRange) => (isRange ? selection.extendTo(id) : selection.toggle(id)),
    restore: (item) => removed.restore([item]),
    deletePermanently: (item) => removed.askToDelete([item]),
  };
  return (
    <PageFrame
      title={t("frame.page.library")}
      about={t("library.about")}
      actions={
        <>
          <Button
            icon={<Replace aria-hidden />}
            aria-pressed={isReplacing}
            disabledReason={listing.isEmpty ? t("library.none") : undefined}
            onClick={() => setReplacing(!isReplacing)}
          >
            {t("library.replace")}
          </Button>
          <ImportButton importTask={libraryImport} />
          <ExportAllLink isEmpty={listing.isEmpty} />
        </>
      }
    >
      <ImportNotice importTask={libraryImport} />
      <LibraryBar
        field={field}
        search={search}
        listing={listing}
        onEmptyTrash={() => removed.askToDelete(listing.removedItems)}
        selectionBar={
          selection.items.length === 0 ? undefined : listing.isRemovedView ? (
            <RemovedBar selected={selection.items} removed={removed} onClear={selection.clear} />
          ) : (
            <SelectionBar
              items={selection.items}
              onTag={(add, drop) => changeTagsOfAll(selection.items, add, drop).then(results.clear)}
              onRemove={removeSelected}
              onClear={selection.clear}
              onFail={results.fail}
            />
          )
        }
      />
      {isReplacing && <ReplacePanel onClose={() => setReplacing(false)} />}
      <LoadErrors errors={[error, search.error, listing.error]} />
      <ResultNote note={note} clear={results.clear} />
      <div className="library-body">
        {search.isSearching ? (
          <SearchResults search={search} />
        ) : (
          <Items listing={listing} selectedIds={selection.ids} actions={itemActions} />
        )}
      </div>
      <ConfirmDeletion removed={removed} />
    </PageFrame>
  );
}

/** The page's actions in the palette and on keys. */
function useLibraryActions({
  listing,
  isSearching,
  focusSearch,
  selectAll,
  openReplace,
}: {
  listing: Listing;
  isSearching: boolean;
  focusSearch: () => void;
  selectAll: () => void;
  openReplace: () => void;
}): void {
  useAction({
    id: "library.search",
    title: t("library.search"),
    keys: "/",
    run: focusSearch,
  });
  useAction({
    id: "library.selectAll",
    title: t("library.select.all"),
    keys: "mod+a",
    disabledReason:
      listing.items.length === 0 || isSearching ? t("library.select.none") : undefined,
    run: selectAll,
  });
  useAction({
    id: "library.exportAll",
    title: t("library.exportAll"),
    disabledReason: listing.isEmpty ? t("library.none") : undefined,
    run: () => downloadUrl(libraryUrl()),
  });
  useAction({
    id: "library.replace",
    title: t("library.replace"),
    keys: "h",
    run: openReplace,
  });
}

const ExportAllLink = ({ isEmpty }: { isEmpty: boolean }) =>
  isEmpty ? (
    <Button icon={<Download aria-hidden />} disabledReason={t("library.none")}>
      {t("library.exportAll")}
    </Button>
  ) : (
    <a className="button button-secondary" href={libraryUrl()} download>
      <Download aria-hidden />
      {t("library.exportAll")}
    </a>
  );

const LoadErrors = ({ errors }: { errors: readonly (string | undefined)[] }) =>
  errors.map(
    (text, index) =>
      text !== undefined && (
        <div key={index} className="library-note">
          <Notice tone="bad">{text}</Notice>
        </div>
      ),
  );

function SearchResults({ search: { hits, typed } }: { search: Search }) {
  if (hits === undefined) return null;
  if (hits.length > 0) return <HitList hits={hits} query={typed} />;
  return (
    <EmptyState
      icon={<SearchX aria-hidden />}
      title={t("library.search.none")}
      text={t("library.search.none.text")}
    />
  );
}

/** The listed items, or why there are none. */
function Items({
  listing: { items, isRemovedView, isEmpty, isListed, order },
  selectedIds,
  actions,
}: {
  listing: Listing;
  selectedIds: ReadonlySet<string>;
  actions: Omit<ItemActions, "edit">;
}) {
  const keepRemovedDays = usePreferences((preferences) => preferences.keepRemovedDays);
  if (isEmpty) {
    return (
      <EmptyState
        icon={<LibraryBig aria-hidden />}
        title={t("library.none")}
        text={t("library.none.text")}
      >
        <Button kind="primary" onClick={() => go("/transcribe")}>
          {t("frame.page.transcribe")}
        </Button>
      </EmptyState>
    );
  }
  if (items.length > 0) {
    return (
      <ItemList
        items={items}
        isRemoved={isRemovedView}
        isByDay={order === "newest"}
        selected={selectedIds}
        actions={actions}
      />
    );
  }
  if (!isListed) return null;
  return (
    <EmptyState
      title={isRemovedView ? t("library.removed.none") : t("library.noMatch")}
      text={isRemovedView ? t("library.removed.none.text", { days: keepRemovedDays }) : undefined}
    />
  );
}
