// Controls above the library's list: the search field, view, tag and order, and the sizes.

import { Search as SearchIcon, Trash2 } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { formatLanguage, formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { go } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { orders, views } from "./filter-items.ts";
import { hitPath } from "./hit-list.tsx";
import type { Listing } from "./use-listing.ts";
import type { Search } from "./use-search.ts";

type LibraryBarProps = {
  field: RefObject<HTMLInputElement | null>;
  search: Search;
  listing: Listing;
  /** Actions for the selected items, shown instead of the filters. */
  selectionBar: ReactNode;
  onEmptyTrash: () => void;
};

export function LibraryBar({
  field,
  search,
  listing,
  selectionBar,
  onEmptyTrash,
}: LibraryBarProps) {
  return (
    <div className="library-bar">
      <SearchField field={field} search={search} />
      {!search.isSearching && (selectionBar ?? <Filters listing={listing} />)}
      {!search.isSearching && selectionBar === undefined && listing.isRemovedView && (
        <Button
          isSmall
          icon={<Trash2 aria-hidden />}
          disabledReason={listing.removedItems.length > 0 ? undefined : t("library.removed.none")}
          onClick={onEmptyTrash}
        >
          {t("library.delete.all")}
        </Button>
      )}
      {search.isSearching ? <HitCount search={search} /> : <StorageSummary listing={listing} />}
    </div>
  );
}

const firstRowSelector = '.library-body .library-hit, .library-body a.library-title[tabindex="0"]';

function SearchField({ field, search }: Pick<LibraryBarProps, "field" | "search">) {
  const { typed, setTyped, hits } = search;
  return (
    <div className="library-search">
      <SearchIcon aria-hidden />
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
            document.querySelector<HTMLElement>(firstRowSelector)?.focus();
          }
        }}
      />
    </div>
  );
}

function Filters({ listing }: { listing: Listing }) {
  const { view, setView, tags, tag, setTag, order, setOrder } = listing;
  const { languages, channels, speakers } = listing;
  return (
    <>
      <Segmented
        label={t("library.view")}
        value={view}
        choices={views.map((value) => ({ value, label: t(`library.view.${value}`) }))}
        onChange={setView}
      />
      {tags.length > 0 && (
        <FilterSelect
          label={t("library.tag")}
          anyText={t("library.tag.all")}
          value={tag}
          choices={tags.map((value) => ({ value, text: `#${value}` }))}
          onChange={setTag}
        />
      )}
      {languages.length > 1 && (
        <FilterSelect
          label={t("library.language")}
          anyText={t("library.language.all")}
          value={listing.language}
          choices={languages.map((value) => ({ value, text: formatLanguage(value) }))}
          onChange={listing.setLanguage}
        />
      )}
      {speakers.length > 0 && (
        <FilterSelect
          label={t("library.speaker")}
          anyText={t("library.speaker.all")}
          value={listing.speaker}
          choices={speakers.map(({ name }) => ({ value: name, text: name }))}
          onChange={listing.setSpeaker}
        />
      )}
      {channels.length > 1 && (
        <FilterSelect
          label={t("library.channel")}
          anyText={t("library.channel.all")}
          value={listing.channel}
          choices={channels.map((value) => ({
            value,
            text: value === "local" ? t("library.where.here") : value,
          }))}
          onChange={listing.setChannel}
        />
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
  );
}

type FilterSelectProps = {
  label: string;
  anyText: string;
  value: string;
  choices: readonly { value: string; text: string }[];
  onChange: (value: string) => void;
};

const FilterSelect = ({ label, anyText, value, choices, onChange }: FilterSelectProps) => (
  <Select
    label={label}
    isLabelHidden
    isQuiet
    value={choices.some((choice) => choice.value === value) ? value : ""}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  >
    <option value="">{anyText}</option>
    {choices.map((choice) => (
      <option key={choice.value} value={choice.value}>
        {choice.text}
      </option>
    ))}
  </Select>
);

const HitCount = ({ search: { hits } }: { search: Search }) => (
  <span className="library-storage" role="status">
    {hits !== undefined &&
      hits.length > 0 &&
      t("library.hits.shown", {
        count: hits.length,
        items: new Set(hits.map(({ itemId }) => itemId)).size,
      })}
  </span>
);

const StorageSummary = ({
  listing: { itemCount, usedBytes, removedBytes },
}: {
  listing: Listing;
}) => (
  <span className="library-storage" title={t("library.storage")}>
    {removedBytes > 0
      ? t("library.storage.both", {
          count: itemCount,
          size: formatSize(usedBytes),
          removed: formatSize(removedBytes),
        })
      : t("library.storage.used", { count: itemCount, size: formatSize(usedBytes) })}
  </span>
);
