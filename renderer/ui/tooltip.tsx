// Tooltip on hover or focus. Never the only place of necessary information.

import "./tooltip.css";
import { Tooltip as Radix } from "radix-ui";
import type { ReactElement } from "react";
import { Keys } from "./keys.tsx";
import { usePortal } from "./portal.ts";

type TooltipProps = {
  /** Undefined: none is shown. */
  text: string | undefined;
  keys?: string | undefined;
  side?: "top" | "right" | "bottom" | "left" | undefined;
  children: ReactElement;
};

export function Tooltip({ text, keys, side = "top", children }: TooltipProps) {
  const container = usePortal();
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      {text !== undefined && (
        <Radix.Portal container={container}>
          <Radix.Content className="tooltip" side={side} sideOffset={6} collisionPadding={8}>
            {text}
            {keys !== undefined && <Keys keys={keys} />}
          </Radix.Content>
        </Radix.Portal>
      )}
    </Radix.Root>
  );
}

export const TooltipProvider = ({ children }: { children: ReactElement }) => (
  <Radix.Provider delayDuration={500} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
);
