// For what is drawn rather than styled: a count that rises whenever colours change, by the system or by choice.

import { useEffect, useState } from "react";

export function useThemeChange(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((before) => before + 1);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      scheme.removeEventListener("change", changed);
      observer.disconnect();
    };
  }, []);
  return count;
}
