// Finds what does not fit the window: scrolling sideways, text that is cut off, squeezed or covered, controls out of
// reach.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";

const source = readFileSync(join(import.meta.dirname, "layout-faults-in-page.mjs"), "utf8");
const script = `(() => { ${source.replace("export function", "function")}; return findLayoutFaults(); })()`;

/** Descriptions of the faults of a page as it stands, in its current size; empty if everything fits. */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate<string[]>(script);
