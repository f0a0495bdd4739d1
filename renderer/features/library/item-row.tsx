// One item in the library: kind, tags, channels that processed it, length, size, date; title and tags are edited in
// place.

import {
  AudioLines,
  BookAudio,
  Cloud,
  Ellipsis,
  FolderOpen,
  FolderSearch,
  House,
  Pencil,
  RotateCcw,
  SquareCheck,
  Tag,
  Trash2,
} from "lucide-react";
import { memo, useState, type KeyboardEvent } from "react";
import type { Item } from "../../../main/contract/library-item.ts";
import { desktopBridge } from "../../bridge/desktop.ts";
import { formatDate, formatSize, formatTime, formatTimeOfDay } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { itemPath } from "../../stores/items.ts";
import { go } from "../../stores/route.ts";
import { showInFolder } from "../../stores/show-in-folder.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useRowTabIndex } from "../../ui/rows.ts";
import { externalChannels } from "./filter-items.ts";
import { useFirstWords } from "./first-words.ts";
import { RowEdit } from "./row-edit.tsx";

export type ItemActions = {
  rename: (item: Item, title: string) => Promise<void>;
  changeTags: (item: Item, tags: string[]) => Promise<void>;
  remove: (item: Item) => void;
  restore: (item: Item) => void;
  /** Asks whether to delete a removed item permanently. */
  deletePermanently: (item: Item) => void;
  filter: (tag: string) => void;
  /** Opens the editor of the title or tags; undefined closes it. */
  edit: (item: Item, field: "title" | "tags" | undefined) => void;
  /** Toggles the selection; with `isRange` selects all from the last selected one. */
  select: (item: Item, isRange: boolean) => void;
};

type ItemRowProps = {
  item: Item;
  editing: "title" | "tags" | undefined;
  isRemoved: boolean;
  isSelected: boolean;
  /** Whether a heading names the day. */
  isByDay: boolean;
  actions: ItemActions;
};

export const ItemRow = memo(function ItemRow({
  item,
  editing,
  isRemoved,
  isSelected,
  isByDay,
  actions,
}: ItemRowProps) {
  const tabIndex = useRowTabIndex();
  const [menu, setMenu] = useState<"none" | "closed" | "open">("none");
  const Icon = item.kind === "transcript" ? AudioLines : BookAudio;
  return (
    <div
      className="library-row"
      data-state={item.state}
      data-selected={isSelected || undefined}
      onPointerEnter={() => setMenu((now) => (now === "none" ? "closed" : now))}
    >
      <input
        type="checkbox"
        className="library-check"
        aria-label={t("library.select.named", { title: item.title })}
        tabIndex={tabIndex}
        checked={isSelected}
        // Only the click has `shiftKey`; the change event does not.
        onClick={(event) => actions.select(item, event.shiftKey)}
        onChange={() => undefined}
      />
      <Icon className="library-kind" aria-label={t(`library.kind.${item.kind}`)} />
      <div className="library-what">
        {editing === undefined ? (
          <ItemTitle item={item} isRemoved={isRemoved} actions={actions} />
        ) : (
          <RowEdit
            item={item}
            field={editing}
            actions={actions}
            onClose={() => actions.edit(item, undefined)}
          />
        )}
      </div>
      <ProcessedByLabel item={item} />
      <span className="library-figure">
        {item.durationSec > 0 ? formatTime(item.durationSec) : ""}
      </span>
      <span className="library-figure library-size">{formatSize(item.sizeBytes)}</span>
      <span className="library-figure library-date">
        {isByDay ? formatTimeOfDay(item.createdAtMs) : formatDate(item.createdAtMs)}
      </span>
      {isRemoved ? (
        <span className="library-removed-actions">
          <IconButton
            label={t("library.restore.named", { title: item.title })}
            isSmall
            onClick={() => actions.restore(item)}
          >
            <RotateCcw aria-hidden />
          </IconButton>
          <IconButton
            label={t("library.delete.named", { title: item.title })}
            isSmall
            onClick={() => actions.deletePermanently(item)}
          >
            <Trash2 aria-hidden />
          </IconButton>
        </span>
      ) : menu !== "none" || tabIndex === 0 ? (
        <ItemMenu
          item={item}
          isSelected={isSelected}
          isOpenAtFirst={menu === "open"}
          actions={actions}
        />
      ) : (
        <MenuPlaceholder title={item.title} onClick={() => setMenu("open")} />
      )}
    </div>
  );
});

/** Title, tags, state and first words; the title handles the row's keys. */
function ItemTitle({
  item,
  isRemoved,
  actions,
}: Pick<ItemRowProps, "item" | "isRemoved" | "actions">) {
  const tabIndex = useRowTabIndex();
  const firstWords = useFirstWords(item);
  const onKeyDown = (event: KeyboardEvent) => {
    const run = {
      F2: () => actions.edit(item, "title"),
      Delete: () => actions.remove(item),
      x: () => actions.select(item, false),
      X: () => actions.select(item, true),
    }[event.key];
    if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  return (
    <>
      {isRemoved ? (
        <span className="library-title">{item.title}</span>
      ) : (
        <a
          className="library-title"
          data-item={item.id}
          data-main
          tabIndex={tabIndex}
          href={`#${itemPath(item)}`}
          onKeyDown={onKeyDown}
        >
          {item.title}
        </a>
      )}
      {item.tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className="library-tag"
          tabIndex={tabIndex}
          aria-label={t("library.tag.filter", { tag })}
          onClick={() => actions.filter(tag)}
        >
          #{tag}
        </button>
      ))}
      <StateLabel item={item} />
      <span className="library-words">{firstWords}</span>
    </>
  );
}

/** What is not finished about the item. */
function StateLabel({ item }: { item: Item }) {
  const { state } = item;
  if (state === "done")
    return item.isPartial && <span className="library-state">{t("library.partial")}</span>;
  const isUngenerated = item.kind === "narration" && state === "waiting";
  return (
    <span className="library-state">
      {state === "running"
        ? t("library.running", { part: item.progress })
        : t(`library.state.${isUngenerated ? "not-generated" : state}`)}
    </span>
  );
}

/** Looks like the closed menu, which would take most of the time that a row takes while scrolling. */
const MenuPlaceholder = ({ title, onClick }: { title: string; onClick: () => void }) => (
  <button
    type="button"
    className="button button-quiet button-icon button-small"
    tabIndex={-1}
    aria-label={t("library.actions", { title })}
    aria-haspopup="menu"
    onClick={onClick}
  >
    <Ellipsis aria-hidden />
  </button>
);

function ItemMenu({
  item,
  isSelected,
  isOpenAtFirst,
  actions,
}: Pick<ItemRowProps, "item" | "isSelected" | "actions"> & { isOpenAtFirst: boolean }) {
  return (
    <Menu
      isOpenAtFirst={isOpenAtFirst}
      items={[
        {
          label: t("library.open"),
          icon: <FolderOpen aria-hidden />,
          keys: "Enter",
          run: () => go(itemPath(item)),
        },
        {
          label: t("library.rename"),
          icon: <Pencil aria-hidden />,
          keys: "F2",
          run: () => actions.edit(item, "title"),
        },
        {
          label: t("library.tags"),
          icon: <Tag aria-hidden />,
          run: () => actions.edit(item, "tags"),
        },
        ...(desktopBridge() === undefined
          ? []
          : [
              {
                label: t("frame.folder"),
                icon: <FolderSearch aria-hidden />,
                run: () => void showInFolder(item),
                disabledReason: item.hasMedia
                  ? undefined
                  : t("frame.folder.none", { title: item.title }),
              },
            ]),
        {
          label: isSelected ? t("library.deselect") : t("library.select"),
          icon: <SquareCheck aria-hidden />,
          keys: "x",
          run: () => actions.select(item, false),
        },
        {
          label: t("library.remove"),
          icon: <Trash2 aria-hidden />,
          keys: "Delete",
          run: () => actions.remove(item),
          isDanger: true,
          beginsGroup: true,
          disabledReason: item.state === "recording" ? t("library.remove.recording") : undefined,
        },
      ]}
    >
      <IconButton label={t("library.actions", { title: item.title })} isSmall>
        <Ellipsis aria-hidden />
      </IconButton>
    </Menu>
  );
}

/** Which channels received the audio or text. Users must be able to rely on this. */
function ProcessedByLabel({ item }: { item: Item }) {
  const names = externalChannels(item);
  if (names.length === 0) {
    return (
      <span className="library-where">
        <House aria-hidden />
        {t("library.where.here")}
      </span>
    );
  }
  return (
    <span className="library-where library-where-away">
      <Cloud aria-hidden />
      <span className="library-where-names">
        {item.channels.includes("local")
          ? t("library.where.both", { names: names.join(", ") })
          : names.join(", ")}
      </span>
    </span>
  );
}
