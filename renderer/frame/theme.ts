// Applies the theme: the system's, or the selected one. See ui/tokens.css for the colours.

import { useEffect } from "react";
import type { Preferences } from "../../main/contract/preferences.ts";
import { usePreferences } from "../stores/preferences.ts";

export function applyTheme(theme: Preferences["theme"]): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function useTheme(): void {
  const theme = usePreferences((preferences) => preferences.theme);
  useEffect(() => applyTheme(theme), [theme]);
}
