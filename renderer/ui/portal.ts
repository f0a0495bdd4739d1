// Where what floats is put: the page it belongs to, so that it has its place among the landmarks, or the modal dialog,
// since that covers the page; the body where there is neither.

import { createContext, useContext } from "react";

export const PortalContext = createContext<HTMLElement | null>(null);

export const usePortal = (): HTMLElement | null => useContext(PortalContext);
