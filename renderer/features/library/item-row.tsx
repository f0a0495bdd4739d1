// A row of the library: what it is, its tags, where the audio went, how long and large, when; renamed and tagged in
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
import { memo, type KeyboardEvent, useState } from "react";
import type { Item } from "../../../main/contract/studio.ts";
import { desktop } from "../../bridge/desktop.ts";
import { formatDate, formatSize, formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { pathOf } from "../../stores/items.ts";
import { go } from "../../stores/route.ts";
import { showInFolder } from "../../stores/show-in-folder.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useRowTab } from "../../ui/rows.ts";
import { parseTags, sentTo } from "./shown-items.ts";

export type ItemDoes = {
  rename: (item: Item, title: string) => Promise<void>;
  retag: (item: Item, tags: string[]) => Promise<void>;
  remove: (item: Item) => void;
  restore: (item: Item) => void;
  filter: (tag: string) => void;
  /** Opens its title or tags for typing; undefined: done. */
  edit: (item: Item, what: "title" | "tags" | undefined) => void;
  /** Selects it, or takes it out; with `isRange` all from the last one on. */
  select: (item: Item, isRange: boolean) => void;
};

type ItemRowProps = {
  item: Item;
  editing: "title" | "tags" | undefined;
  isRemoved: boolean;
  isSelected: boolean;
  does: ItemDoes;
};

export const ItemRow = memo(function ItemRow({
  item,
  editing,
  isRemoved,
  isSelected,
  does,
}: ItemRowProps) {
  const tab = useRowTab();
  const Icon = item.kind === "transcript" ? AudioLines : BookAudio;
  const onKeyDown = (event: KeyboardEvent) => {
    const run = {
      F2: () => does.edit(item, "title"),
      Delete: () => does.remove(item),
      x: () => does.select(item, false),
      X: () => does.select(item, true),
    }[event.key];
    if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  return (
    <div className="library-row" data-state={item.state} data-selected={isSelected || undefined}>
      {isRemoved ? (
        <span />
      ) : (
        <input
          type="checkbox"
          className="library-check"
          aria-label={t("library.select.named", { title: item.title })}
          tabIndex={tab}
          checked={isSelected}
          // The click tells whether a range is meant; the change alone does not.
          onClick={(event) => does.select(item, event.shiftKey)}
          onChange={() => undefined}
        />
      )}
      <Icon className="library-kind" aria-label={t(`library.kind.${item.kind}`)} />
      <div className="library-what">
        {editing === undefined ? (
          <>
            {isRemoved ? (
              <span className="library-title">{item.title}</span>
            ) : (
              <a
                className="library-title"
                data-item={item.id}
                data-main
                tabIndex={tab}
                href={`#${pathOf(item)}`}
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
                tabIndex={tab}
                aria-label={t("library.tag.filter", { tag })}
                onClick={() => does.filter(tag)}
              >
                #{tag}
              </button>
            ))}
            {item.state !== "done" && (
              <span className="library-state">
                {item.state === "running"
                  ? t("library.running", { part: item.progress })
                  : t(
                      `library.state.${item.kind === "narration" && item.state === "waiting" ? "unmade" : item.state}`,
                    )}
              </span>
            )}
            {item.state === "done" && item.isPartial && (
              <span className="library-state">{t("library.partial")}</span>
            )}
          </>
        ) : (
          <RowEdit
            item={item}
            what={editing}
            does={does}
            onClose={() => does.edit(item, undefined)}
          />
        )}
      </div>
      <Where item={item} />
      <span className="library-figure">
        {item.durationSec > 0 ? formatTime(item.durationSec) : ""}
      </span>
      <span className="library-figure library-size">{formatSize(item.sizeBytes)}</span>
      <span className="library-figure library-date">{formatDate(item.createdAtMs)}</span>
      {isRemoved ? (
        <Button
          isSmall
          kind="quiet"
          icon={<RotateCcw aria-hidden />}
          aria-label={t("library.restore.named", { title: item.title })}
          onClick={() => does.restore(item)}
        >
          {t("library.restore")}
        </Button>
      ) : (
        <Menu
          items={[
            {
              label: t("library.open"),
              icon: <FolderOpen aria-hidden />,
              keys: "Enter",
              run: () => go(pathOf(item)),
            },
            {
              label: t("library.rename"),
              icon: <Pencil aria-hidden />,
              keys: "F2",
              run: () => does.edit(item, "title"),
            },
            {
              label: t("library.tags"),
              icon: <Tag aria-hidden />,
              run: () => does.edit(item, "tags"),
            },
            ...(desktop() === undefined
              ? []
              : [
                  {
                    label: t("shell.folder"),
                    icon: <FolderSearch aria-hidden />,
                    run: () => void showInFolder(item),
                    disabledReason: item.hasMedia
                      ? undefined
                      : t("shell.folder.none", { title: item.title }),
                  },
                ]),
            {
              label: isSelected ? t("library.deselect") : t("library.select"),
              icon: <SquareCheck aria-hidden />,
              keys: "x",
              run: () => does.select(item, false),
            },
            {
              label: t("library.remove"),
              icon: <Trash2 aria-hidden />,
              keys: "Delete",
              run: () => does.remove(item),
              isDanger: true,
              beginsGroup: true,
              disabledReason:
                item.state === "recording" ? t("library.remove.recording") : undefined,
            },
          ]}
        >
          <IconButton label={t("library.actions", { title: item.title })} isSmall>
            <Ellipsis aria-hidden />
          </IconButton>
        </Menu>
      )}
    </div>
  );
});

/** The one thing a person must be able to trust: who got the audio or the text. */
function Where({ item }: { item: Item }) {
  const names = sentTo(item);
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

function RowEdit({
  item,
  what,
  does,
  onClose,
}: {
  item: Item;
  what: "title" | "tags";
  does: ItemDoes;
  onClose: () => void;
}) {
  const [text, setText] = useState(what === "title" ? item.title : item.tags.join(", "));
  const [error, setError] = useState<string>();
  const done = () => {
    onClose();
    // Back to where the keyboard was.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-item="${CSS.escape(item.id)}"]`)?.focus(),
    );
  };
  const save = async () => {
    const title = text.trim();
    if (what === "title" && title === "") return setError(t("library.rename.empty"));
    try {
      if (what === "title" && title !== item.title) await does.rename(item, title);
      if (what === "tags" && parseTags(text).join(",") !== item.tags.join(","))
        await does.retag(item, parseTags(text));
      done();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <form
      className="library-edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        done();
      }}
      onBlur={(event) =>
        !event.currentTarget.contains(event.relatedTarget) && error === undefined && void save()
      }
    >
      <TextField
        label={what === "title" ? t("library.rename") : t("library.tags")}
        isLabelUnseen
        autoFocus
        maxLength={what === "title" ? 300 : undefined}
        placeholder={what === "tags" ? t("library.tags.example") : undefined}
        onFocus={({ currentTarget }) => currentTarget.select()}
        value={text}
        error={error}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setError(undefined);
        }}
      />
    </form>
  );
}
