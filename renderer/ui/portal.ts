// Where what floats is put: the body, or the modal dialog it belongs to, since a dialog covers the body.

import { createContext, useContext } from 'react';

export const PortalContext = createContext<HTMLElement | null>(null);

export const usePortal = (): HTMLElement | null => useContext(PortalContext);
