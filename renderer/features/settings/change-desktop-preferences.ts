// Changes the desktop's preferences; the desktop applies them.

import type { DesktopPreferences } from "../../../main/contract/desktop-bridge.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";

export const changeDesktopPreferences = (patch: Partial<DesktopPreferences>): void =>
  void changePreferences({ desktop: { ...usePreferences.getState().desktop, ...patch } });
