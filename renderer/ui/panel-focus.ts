// Moves the focus into a panel that opens, and back to the button that opened it.

import { useLayoutEffect, useState, type RefObject } from "react";

const controls =
  ":is(button, input, select, textarea, [tabindex='0']):not(:disabled, [hidden], [tabindex='-1'])";

/** Focuses the first control, unless the focus is in the panel already. */
export function focusPanel(panel: HTMLElement | null): void {
  if (panel === null || panel.contains(document.activeElement)) return;
  panel.querySelector<HTMLElement>(controls)?.focus();
}

/** For a panel that is mounted while it is open. A field in it may take the focus by `autoFocus`. */
export function usePanelFocus(panel: RefObject<HTMLElement | null>): void {
  // While rendering: when effects run, a field has taken the focus.
  const [opener] = useState(() => openerOf(document.activeElement));
  useLayoutEffect(() => {
    const element = panel.current;
    focusPanel(element);
    return () => {
      if (element?.contains(document.activeElement) === true) opener?.focus();
    };
  }, [panel, opener]);
}

/** A menu is gone when the panel closes: its button stands for it. */
function openerOf(element: Element | null): HTMLElement | null {
  const buttonId = element?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  if (buttonId != null) return document.getElementById(buttonId);
  return element instanceof HTMLElement ? element : null;
}
