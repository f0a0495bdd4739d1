// What is chosen for the desktop is kept with the other preferences: the desktop follows them.

import type { DesktopPreferences } from "../../../main/contract/shell-bridge.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";

export const changeDesktopPreferences = (patch: Partial<DesktopPreferences>): void =>
  void changePreferences({ desktop: { ...usePreferences.getState().desktop, ...patch } });
