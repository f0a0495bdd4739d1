// Which of the shell's overlays is open. One at a time.

import { create } from "zustand";

export const useOverlay = create<{ open: "palette" | "keys" | undefined }>(() => ({
  open: undefined,
}));
export const openOverlay = (open: "palette" | "keys") => useOverlay.setState({ open });
export const closeOverlay = () => useOverlay.setState({ open: undefined });
