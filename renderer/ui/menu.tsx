// Menu of actions. A disabled entry stays in the list and shows its reason. Not modal: Radix's modal menu injects a
// style element, which the Content-Security-Policy refuses.

import "./menu.css";
import { DropdownMenu } from "radix-ui";
import { Fragment, useRef, type ReactElement, type ReactNode } from "react";
import { Keys } from "./keys.tsx";
import { usePortal } from "./portal.ts";
import { focusRow } from "./rows.ts";

export type MenuItem = {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly run: () => void;
  readonly disabledReason?: string | undefined;
  readonly isDanger?: boolean;
  /** Shows a line above it. */
  readonly beginsGroup?: boolean;
};

/** `children` is the button that opens it. */
export function Menu({
  items,
  children,
  align = "end",
  isOpenAtFirst = false,
}: {
  items: readonly MenuItem[];
  children: ReactElement;
  align?: "start" | "end";
  isOpenAtFirst?: boolean;
}) {
  const container = usePortal();
  const trigger = useRef<HTMLButtonElement>(null);
  /** The row the menu belongs to: its list and index. */
  const row = useRef<{ list: Element; index: number }>(undefined);

  function rememberRow(isOpen: boolean): void {
    const element = trigger.current?.closest<HTMLElement>("[data-row]");
    const list = element?.parentElement;
    if (isOpen)
      row.current = list == null ? undefined : { list, index: Number(element?.dataset["row"]) };
  }

  // The chosen action may have removed the row before the menu could return the focus to its button. What the user has
  // focused since keeps the focus.
  function focusNextIfRowIsGone(event: Event): void {
    if (trigger.current?.isConnected === true || row.current === undefined) return;
    event.preventDefault();
    if (document.activeElement === document.body) focusRow(row.current.list, row.current.index);
  }

  return (
    <DropdownMenu.Root modal={false} defaultOpen={isOpenAtFirst} onOpenChange={rememberRow}>
      <DropdownMenu.Trigger asChild ref={trigger}>
        {children}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content
          className="menu"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={focusNextIfRowIsGone}
        >
          {items.map((item) => (
            <Fragment key={item.label}>
              {item.beginsGroup && <DropdownMenu.Separator className="menu-line" />}
              <DropdownMenu.Item
                className={`menu-item ${item.isDanger ? "menu-item-danger" : ""}`}
                disabled={item.disabledReason !== undefined}
                onSelect={item.run}
              >
                {item.icon}
                <span className="menu-item-label">
                  {item.label}
                  {item.disabledReason !== undefined && (
                    <span className="menu-item-why">{item.disabledReason}</span>
                  )}
                </span>
                {item.keys !== undefined && <Keys keys={item.keys} />}
              </DropdownMenu.Item>
            </Fragment>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
