// The texts that a window loads for this language.
import type { Texts } from "../messages.ts";

export const files = import.meta.glob<Texts>(["./*.json", "!./desktop.json"], {
  eager: true,
  import: "default",
});
