// Downloads of a small model from hubs on loopback, into a folder instead of the store.

import { rename } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "undici";
import { onTestFinished } from "vitest";
import type { ModelDownload } from "../../main/contract/model-downloads.ts";
import type { CatalogEntry, InstalledModel } from "../../main/contract/models.ts";
import {
  createModelDownloads,
  type ModelDownloads,
  type ModelDownloadsDeps,
} from "../../main/models/download/downloads.ts";
import { createHubClient } from "../../main/models/download/hub-client.ts";
import { shippedWeightsDir } from "../../main/models/shipped-models.ts";
import { quietLog } from "./app.ts";
import {
  type FakeHub,
  type HubRepository,
  readFiles,
  sha256,
  startHub,
  testRevision,
} from "./fake-hub.ts";
import { openTestFolder } from "./test-data.ts";

/** The larger one of its files. */
export const graph = "silero_vad_v6_sequence.onnx";
const weights = await readFiles(join(shippedWeightsDir, "silero-vad"));

export const contentOf = (name: string): Buffer => weights[name] ?? Buffer.alloc(0);

export const silero = (): CatalogEntry => ({
  id: "silero",
  family: "silero",
  kind: "voice-activity",
  name: "Silero",
  ownedBy: "silero-team",
  licence: { name: "MIT" },
  created: 0,
  languages: [],
  capabilities: {
    wordTimes: false,
    languageDetection: false,
    prompt: false,
    streaming: false,
    translatesTo: [],
  },
  sources: [{ repository: "silero/vad", revision: testRevision }],
  files: [graph, "LICENSE"].map((name) => ({
    name,
    sizeBytes: contentOf(name).length,
    sha256: sha256(contentOf(name)),
  })),
});

export const sileroHashes: Readonly<Record<string, string>> = Object.fromEntries(
  silero().files.map(({ name, sha256: hash }) => [name, hash]),
);

export async function openHub(
  repositories: Record<string, HubRepository> = { "silero/vad": { files: weights } },
): Promise<FakeHub> {
  const hub = await startHub(repositories);
  onTestFinished(hub.close);
  return hub;
}

export type TestDownloads = ModelDownloads & {
  folder: string;
  events: ModelDownload[];
  installed: Map<string, CatalogEntry>;
  /** The next event with this state. */
  reached(state: ModelDownload["state"]): Promise<ModelDownload>;
};

export async function openDownloads(
  hubs: readonly { baseUrl: string }[],
  deps: Partial<ModelDownloadsDeps> & { stallMs?: number; folder?: string } = {},
): Promise<TestDownloads> {
  const folder = deps.folder ?? (await openTestFolder());
  const dispatcher = new Agent();
  const events: ModelDownload[] = [];
  const waiting = new Set<(event: ModelDownload) => void>();
  const installed = new Map<string, CatalogEntry>();
  const incomingDir = join(folder, ".incoming");
  const downloads = createModelDownloads({
    incomingDir,
    catalog: [silero()],
    target: {
      find: (id) => installed.get(id) as InstalledModel | undefined,
      async install(entry, from) {
        await rename(from, join(folder, entry.id));
        installed.set(entry.id, entry);
      },
    },
    client: createHubClient({ dispatcher, stallMs: deps.stallMs ?? 60_000 }),
    endpoints: hubs.map(({ baseUrl }) => ({ baseUrl })),
    onChange(event) {
      events.push(event);
      for (const resolve of waiting) resolve(event);
    },
    log: quietLog,
    retryDelayMs: 1,
    ...deps,
  });
  onTestFinished(async () => {
    await downloads.close();
    await dispatcher.destroy();
  });
  return {
    ...downloads,
    folder,
    events,
    installed,
    reached(state) {
      const { promise, resolve } = Promise.withResolvers<ModelDownload>();
      const check = (event: ModelDownload): void => {
        if (event.state === state) resolve(event);
      };
      waiting.add(check);
      return promise.finally(() => waiting.delete(check));
    },
  };
}

/** Until so many bytes are on the disk. */
export async function hasArrived(downloads: TestDownloads, bytes: number): Promise<void> {
  while ((downloads.list()[0]?.doneBytes ?? 0) < bytes) await downloads.reached("running");
}
