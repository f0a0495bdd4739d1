// Container for tooltips, menus and popovers: the page, so that they are inside a landmark, or an open modal dialog,
// because it covers the page; otherwise the body.

import { createContext, useContext } from "react";

export const PortalContext = createContext<HTMLElement | null>(null);

export const usePortal = (): HTMLElement | null => useContext(PortalContext);
