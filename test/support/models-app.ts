// The Models page in its states, as scenes: downloads from a stand-in for the hub under way and failed, and many
// models.

import { mkdir, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CatalogEntry } from "../../main/contract/models.ts";
import { catalog } from "../../main/models/catalog.ts";
import { shippedCatalog } from "../../main/models/catalog/shipped.ts";
import { createModelStore } from "../../main/models/model-store.ts";
import { shippedWeightsDir } from "../../main/models/shipped-models.ts";
import { type AppWithWindow, openAppWithWindow } from "./app-with-window.ts";
import { quietLog } from "./app.ts";
import { waitUntil } from "./command-line.ts";
import { readFiles, respondStatus, sendSlowly, startHub, testRevision } from "./fake-hub.ts";

export type ModelsApp = Pick<AppWithWindow, "open" | "close">;
/** Each has an app of its own, at a route of the page. */
export type ModelScene = { name: string; path: string; openApp(): Promise<ModelsApp> };

const largestFile = "onnx/decoder_model_merged_quantized.onnx";

/** The files of whisper-base under another name. */
function frenchModel(id: string, name: string): CatalogEntry {
  const base = shippedCatalog.find((entry) => entry.id === "whisper-base") as CatalogEntry;
  const sources = [{ repository: `someone/${id}`, revision: testRevision }];
  return { ...base, id, name, languages: [{ code: "fr" }], sources };
}
const running = frenchModel("whisper-small-fr", "Whisper small, French");
const paused = frenchModel("whisper-medium-fr", "Whisper medium, French");
const refused = frenchModel("whisper-large-fr", "Whisper large, French");
const gated = frenchModel("whisper-turbo-fr", "Whisper turbo, French");

const french = "/models?language=fr&task=transcribe";
export const modelScenes: readonly ModelScene[] = [
  { name: "models-none", path: french, openApp: () => openAppWithWindow() },
  { name: "models-downloading", path: french, openApp: openDownloading },
  { name: "models-failed", path: french, openApp: openFailed },
  { name: "models-twenty", path: "/models", openApp: openTwenty },
];

async function openWithHub(models: readonly CatalogEntry[]) {
  const files = await readFiles(join(shippedWeightsDir, "whisper-base"));
  const hub = await startHub(
    Object.fromEntries(
      models.map(({ id }) => [
        `someone/${id}`,
        { files, ...(id === gated.id ? { token: "hf_right" } : {}) },
      ]),
    ),
  );
  (catalog as CatalogEntry[]).push(...models);
  const whole = await openAppWithWindow({ environment: { HF_ENDPOINT: hub.baseUrl } });
  return {
    ...whole,
    hub,
    setFault: ({ id }: CatalogEntry, fault: Parameters<typeof hub.setFault>[1]) =>
      hub.setFault(`/someone/${id}/resolve/${testRevision}/${largestFile}`, fault),
    /** Resolves once so many bytes have arrived. */
    async start({ id }: CatalogEntry, bytes: number): Promise<void> {
      await whole.call("startDownload", {}, id);
      await waitUntil(async () =>
        (await whole.call("listDownloads")).downloads.some(
          (download) => download.id === id && download.doneBytes >= bytes,
        ),
      );
    },
    async close() {
      await whole.close();
      await hub.close();
      (catalog as CatalogEntry[]).splice(-models.length);
    },
  };
}

async function openDownloading(): Promise<ModelsApp> {
  const app = await openWithHub([running, paused]);
  app.setFault(running, sendSlowly(30e6));
  app.setFault(paused, sendSlowly(10e6));
  await app.start(paused, 10e6);
  await app.call("pauseDownload", {}, paused.id);
  await app.start(running, 30e6);
  return app;
}

async function openFailed(): Promise<ModelsApp> {
  const app = await openWithHub([refused, gated]);
  app.setFault(refused, respondStatus(403));
  for (const { id } of [refused, gated]) await app.call("startDownload", {}, id);
  await waitUntil(async () =>
    (await app.call("listDownloads")).downloads.every(({ state }) => state === "failed"),
  );
  return app;
}

/** Their files have the right sizes and nothing in them: they are listed, but cannot be used. */
function openTwenty(): Promise<ModelsApp> {
  return openAppWithWindow({
    async prepare(dataDir) {
      const store = createModelStore({ dataDir, log: quietLog });
      for (const entry of catalog.filter(({ sources }) => sources.length > 0).slice(0, 20)) {
        const folder = join(store.incomingDir, entry.id);
        for (const { name, sizeBytes } of entry.files) {
          const path = join(folder, name);
          await mkdir(dirname(path), { recursive: true });
          await writeFile(path, "");
          await truncate(path, sizeBytes);
        }
        await store.install(entry, folder, "downloaded");
      }
    },
  });
}
