// Every model that is known: those that come with the app, and those that can be downloaded.

import type { CatalogEntry } from "../contract/models.ts";
import { shippedCatalog } from "./catalog/shipped.ts";

export const catalog: readonly CatalogEntry[] = shippedCatalog;
