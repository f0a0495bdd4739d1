// For canvases, which CSS does not restyle: a number that increases when the system's or selected theme changes.

import { useEffect, useState } from "react";

export function useThemeChange(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const onThemeChange = () => setCount((before) => before + 1);
    const colorScheme = matchMedia("(prefers-color-scheme: dark)");
    colorScheme.addEventListener("change", onThemeChange);
    const observer = new MutationObserver(onThemeChange);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      colorScheme.removeEventListener("change", onThemeChange);
      observer.disconnect();
    };
  }, []);
  return count;
}
