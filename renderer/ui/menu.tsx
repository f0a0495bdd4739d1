// Menu of actions. A disabled entry stays in the list and shows its reason. Not modal: Radix's modal menu injects a
// style element, which the Content-Security-Policy refuses.

import "./menu.css";
import { DropdownMenu } from "radix-ui";
import { Fragment, type ReactElement, type ReactNode } from "react";
import { Keys } from "./keys.tsx";
import { usePortal } from "./portal.ts";

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
}: {
  items: readonly MenuItem[];
  children: ReactElement;
  align?: "start" | "end";
}) {
  const container = usePortal();
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
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
