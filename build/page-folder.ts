// Sources of the window's page, and whether the built page is up to date.

import { join } from "node:path";
import { type BuiltFolder, distDir, isBuilt } from "./built-folder.ts";

export const builtPageDir = join(distDir, "renderer");

export const pageFolder: BuiltFolder = {
  dir: builtPageDir,
  sources: [
    "renderer",
    join("main", "contract"),
    join("build", "build-page.ts"),
    join("build", "fill-translations.ts"),
    "package-lock.json",
    "vite.config.ts",
  ],
};

export const isPageBuilt = (): Promise<boolean> => isBuilt(pageFolder);
