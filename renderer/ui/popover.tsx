// Popover next to the button that opens it.

import "./menu.css";
import { Popover as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { usePortal } from "./portal.ts";

type PopoverProps = {
  /** For screen readers. */
  label: string;
  /** The button that opens it. */
  trigger: ReactElement;
  children: ReactNode;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  align?: "start" | "center" | "end";
};

export function Popover({
  label,
  trigger,
  children,
  isOpen,
  onOpenChange,
  align = "start",
}: PopoverProps) {
  const container = usePortal();
  return (
    <Radix.Root
      {...(isOpen !== undefined && { open: isOpen })}
      {...(onOpenChange && { onOpenChange })}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content
          className="popover"
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Makes a button inside the popover close it. */
export const PopoverClose = ({ children }: { children: ReactElement }) => (
  <Radix.Close asChild>{children}</Radix.Close>
);
