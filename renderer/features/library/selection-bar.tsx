// Actions for the selected items; replaces the list's controls.

import { Download, Tag, Trash2, X } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../../main/contract/library-item.ts";
import { transcriptExports } from "../../../main/contract/transcript-export.ts";
import { downloadUrl } from "../../bridge/bridge.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Popover } from "../../ui/popover.tsx";
import { exportAddress } from "./item-changes.ts";
import { parseTags, tagsOf } from "./filter-items.ts";

type SelectionBarProps = {
  items: readonly Item[];
  onTag: (add: readonly string[], drop: readonly string[]) => Promise<void>;
  onRemove: () => void;
  onClear: () => void;
  onFail: (error: unknown) => void;
};

export function SelectionBar({ items, onTag, onRemove, onClear, onFail }: SelectionBarProps) {
  const count = items.length;
  const recordingReason = items.some(({ state }) => state === "recording")
    ? t("library.remove.recording")
    : undefined;
  const noTranscriptReason = items.some(({ kind }) => kind === "transcript")
    ? undefined
    : t("library.bulk.noTranscript");
  useAction({
    id: "library.deselect",
    title: t("library.bulk.clear"),
    keys: "Escape",
    run: onClear,
  });
  useAction({
    id: "library.removeSelected",
    title: t("library.bulk.remove", { count }),
    keys: "Delete",
    disabledReason: recordingReason,
    run: onRemove,
  });
  useAction({
    id: "library.exportSelected",
    title: t("frame.choice", {
      name: t("library.bulk.export"),
      value: t("library.bulk.export.all"),
    }),
    run: () => save(),
  });
  const save = (format?: (typeof transcriptExports)[number]): void => {
    exportAddress(
      items.map(({ id }) => id),
      format,
    ).then(downloadUrl, onFail);
  };
  return (
    <div className="library-selection" role="group" aria-label={t("library.bulk")}>
      <span className="figures" role="status">
        {t("library.bulk.count", { count })}
      </span>
      <TagPopover items={items} onTag={onTag} onFail={onFail} />
      <Menu
        align="start"
        items={[
          { label: t("library.bulk.export.all"), run: () => save() },
          ...transcriptExports.map((format, index) => ({
            label: t("library.bulk.export.format", { format: `.${format}` }),
            run: () => save(format),
            beginsGroup: index === 0,
            disabledReason: noTranscriptReason,
          })),
        ]}
      >
        <Button isSmall icon={<Download aria-hidden />}>
          {t("library.bulk.export")}
        </Button>
      </Menu>
      <Button
        isSmall
        icon={<Trash2 aria-hidden />}
        disabledReason={recordingReason}
        onClick={onRemove}
      >
        {t("library.remove")}
      </Button>
      <IconButton label={t("library.bulk.clear")} keys="Escape" isSmall onClick={onClear}>
        <X aria-hidden />
      </IconButton>
    </div>
  );
}

function TagPopover({
  items,
  onTag,
  onFail,
}: Pick<SelectionBarProps, "items" | "onTag" | "onFail">) {
  const [isOpen, setOpen] = useState(false);
  useAction({
    id: "library.tagSelected",
    title: t("library.bulk.tags.add"),
    run: () => setOpen(true),
  });
  const [typed, setTyped] = useState("");
  const send = (add: readonly string[], drop: readonly string[]): void => {
    onTag(add, drop).catch(onFail);
    // The popover stays open for another tag.
    setTyped("");
  };
  return (
    <Popover
      label={t("library.tags")}
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button isSmall icon={<Tag aria-hidden />}>
          {t("library.tags")}
        </Button>
      }
    >
      <form
        className="library-bulk-tags"
        onSubmit={(event) => {
          event.preventDefault();
          if (parseTags(typed).length > 0) send(parseTags(typed), []);
        }}
      >
        <TextField
          label={t("library.bulk.tags.add")}
          autoFocus
          placeholder={t("library.tags.example")}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <Button
          type="submit"
          kind="primary"
          isSmall
          disabledReason={
            parseTags(typed).length === 0 ? t("library.bulk.tags.nothing") : undefined
          }
        >
          {t("library.bulk.tags.verb")}
        </Button>
        {tagsOf(items).length > 0 && (
          <div className="library-bulk-drop">
            {tagsOf(items).map((tag) => (
              <Button
                key={tag}
                kind="quiet"
                isSmall
                icon={<X aria-hidden />}
                aria-label={t("library.bulk.tags.drop", { tag })}
                onClick={() => send([], [tag])}
              >
                #{tag}
              </Button>
            ))}
          </div>
        )}
      </form>
    </Popover>
  );
}
