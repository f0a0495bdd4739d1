// The command palette: all available actions, and library items by title.

import "./palette.css";
import { Command } from "cmdk";
import { useLayoutEffect, useRef } from "react";
import { formatDate } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { useActions, type Action } from "../stores/actions.ts";
import { newestFirst, itemPath, useItems } from "../stores/items.ts";
import { closeOverlay, useOverlay } from "../stores/overlays.ts";
import { go } from "../stores/route.ts";
import { Keys } from "../ui/keys.tsx";
import { groupActions } from "./action-groups.ts";
import { paletteScore } from "./palette-score.ts";
import { runAction } from "./shortcuts.ts";

const maxItems = 50;

export function Palette() {
  const isOpen = useOverlay((overlay) => overlay.open === "palette");
  const ref = useRef<HTMLDialogElement>(null);
  // In a layout effect: the next key press must already reach the palette.
  useLayoutEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
    // The dialog itself would focus the list around the field.
    ref.current?.querySelector("input")?.focus();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      className="palette"
      aria-label={t("frame.palette")}
      // Arrives late: the palette may have been opened again since.
      onClose={() => isOpen && !ref.current?.open && closeOverlay()}
      onPointerDown={(event) => event.target === ref.current && closeOverlay()}
    >
      {isOpen && <Commands />}
    </dialog>
  );
}

/** Deferred, because the closing dialog restores the focus, and the action may move it. */
const closeThenRun = (run: () => void) => () => {
  closeOverlay();
  setTimeout(run);
};

function Commands() {
  const actions = useActions((state) => state.actions);
  const byId = useItems((state) => state.byId);
  return (
    <Command
      label={t("frame.palette")}
      loop
      filter={(_, typed, titles = []) =>
        Math.max(...titles.map((title) => paletteScore(title, typed)))
      }
    >
      <Command.Input placeholder={t("frame.palette.placeholder")} />
      <Command.List>
        <Command.Empty>{t("frame.palette.nothing")}</Command.Empty>
        {groupActions(
          [...actions.values()].filter(({ id }) => id !== "palette"),
          t("frame.group.page"),
        ).map(([group, entries]) => (
          <Command.Group key={group} heading={group}>
            {entries.map((action) => (
              <Entry
                key={action.id}
                action={action}
                onSelect={closeThenRun(() => runAction(action))}
              />
            ))}
          </Command.Group>
        ))}
        <Command.Group heading={t("frame.group.items")}>
          {newestFirst(byId)
            .slice(0, maxItems)
            .map((item) => (
              <Command.Item
                key={item.id}
                value={item.id}
                keywords={[item.title, ...item.tags]}
                onSelect={closeThenRun(() => go(itemPath(item)))}
              >
                <span className="palette-title">{item.title}</span>
                <span className="palette-why">{formatDate(item.createdAtMs)}</span>
              </Command.Item>
            ))}
        </Command.Group>
      </Command.List>
    </Command>
  );
}

const Entry = ({ action, onSelect }: { action: Action; onSelect: () => void }) => (
  <Command.Item value={action.id} keywords={[action.title]} onSelect={onSelect}>
    <span className="palette-title">{action.title}</span>
    {action.disabledReason !== undefined && (
      <span className="palette-why">{action.disabledReason}</span>
    )}
    {action.keys !== undefined && <Keys keys={action.keys} />}
  </Command.Item>
);
