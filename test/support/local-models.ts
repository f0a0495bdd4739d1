// The models that come with the app, or some of them, as the local channel takes them, and copies of them.

import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CatalogEntry, InstalledModel } from "../../main/contract/models.ts";
import type { ModelChoices } from "../../main/contract/preferences.ts";
import { createModelNames, type ModelNames } from "../../main/models/defaults.ts";
import type { ModelStore } from "../../main/models/model-store.ts";
import { shippedModels } from "../../main/models/shipped-models.ts";

export const noChoices: ModelChoices = { transcribe: {}, translate: {}, speak: {}, speakHd: {} };

/** Thirty times as fast as Kokoro, where it does not matter who speaks. */
export const hibariForEnglish: Pick<ModelChoices, "speakHd"> = { speakHd: { en: "hibari" } };

export function localModels(
  installed: readonly InstalledModel[] = shippedModels(),
  choices: Partial<ModelChoices> = {},
): { models: () => readonly InstalledModel[]; names: ModelNames } {
  const models = () => installed;
  return { models, names: createModelNames(models, () => ({ ...noChoices, ...choices })) };
}

/**
 * Installs a model under other properties, of which one must be the id.
 * @param damagedFile gets other bytes, but as many
 */
export async function installCopy(
  store: ModelStore,
  model: InstalledModel,
  changes: Partial<CatalogEntry> & { id: string },
  damagedFile?: string,
): Promise<InstalledModel> {
  const folder = join(store.incomingDir, "copy");
  for (const { name } of model.files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    if (name !== damagedFile) await symlink(join(model.dir, name), path);
    else await writeFile(path, (await readFile(join(model.dir, name))).fill(32, 0, 64));
  }
  return store.install({ ...model, ...changes }, folder, "downloaded");
}
