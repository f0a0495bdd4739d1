// Which overlay of the frame is open; at most one.

import { create } from "zustand";

export const useOverlay = create<{ open: "palette" | "keys" | undefined }>(() => ({
  open: undefined,
}));
export const openOverlay = (open: "palette" | "keys") => useOverlay.setState({ open });
export const closeOverlay = () => useOverlay.setState({ open: undefined });
