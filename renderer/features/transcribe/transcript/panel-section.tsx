// A panel of the open transcript, which is a sheet over the text in narrow windows. Escape closes it, and the focus
// goes back to where it was.

import "./panels.css";
import { useRef, type KeyboardEvent, type ReactNode } from "react";
import { usePanelFocus } from "../../../ui/panel-focus.ts";

type PanelSectionProps = {
  label: string;
  className?: string;
  onClose: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ReactNode;
};

export function PanelSection({
  label,
  className = "",
  onClose,
  onKeyDown,
  children,
}: PanelSectionProps) {
  const section = useRef<HTMLElement>(null);
  usePanelFocus(section);
  return (
    <section
      ref={section}
      className={`panel ${className}`}
      aria-label={label}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </section>
  );
}
