// Every model that is known: those that come with the app, and those that can be downloaded. A model is listed only if
// the size and checksum of each of its files are known.

import type { CatalogEntry } from "../contract/models.ts";
import { moonshineCatalog } from "./catalog/moonshine.ts";
import { piperCatalog } from "./catalog/piper.ts";
import { sherpaCatalog } from "./catalog/sherpa.ts";
import { sherpaVoiceCatalog } from "./catalog/sherpa-voices.ts";
import { shippedCatalog } from "./catalog/shipped.ts";
import { whisperCatalog } from "./catalog/whisper.ts";

export const catalog: readonly CatalogEntry[] = [
  ...shippedCatalog,
  ...whisperCatalog,
  ...moonshineCatalog,
  ...sherpaCatalog,
  ...sherpaVoiceCatalog,
  ...piperCatalog,
];
