// Wires the models on this machine, which of them serve a name, and how more of them get here.

import { createModelImporter } from "../models/archives/model-importer.ts";
import { catalog } from "../models/catalog.ts";
import { createModelNames } from "../models/defaults.ts";
import { createProxyDispatcher } from "../models/download/dispatcher.ts";
import { createModelDownloads } from "../models/download/downloads.ts";
import { createHubClient } from "../models/download/hub-client.ts";
import { createModelStore } from "../models/model-store.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredLibrary } from "./library.ts";
import type { WiredNetwork } from "./network.ts";

/** A download without a byte for this long is tried again. */
const downloadStallMs = 60_000;
const defaultModelHub = "https://huggingface.co";

export type WiredModels = ReturnType<typeof wireModels>;

export function wireModels(
  { platform, settings, events, ...rest }: Foundation,
  { preferences }: WiredLibrary,
  { outbound }: WiredNetwork,
) {
  const log = rest.log.child({ room: "models" });
  const store = createModelStore({ dataDir: platform.dataDir, log });
  store.onChange(() => events.publish({ type: "models" }));
  const names = createModelNames(
    store.list,
    rememberLast(() => preferences.read().models),
  );
  const { incomingDir, install } = store;
  const dispatcher = createProxyDispatcher();
  const downloads = createModelDownloads({
    incomingDir,
    catalog,
    target: store,
    client: createHubClient({
      dispatcher: outbound.guard(dispatcher, { kind: "model-download", name: "" }),
      stallMs: downloadStallMs,
    }),
    endpoints: [settings.modelHub ?? defaultModelHub, ...(settings.modelMirrors ?? [])].map(
      (baseUrl) => ({ baseUrl }),
    ),
    token: () => process.env["HF_TOKEN"]?.trim() || undefined,
    onChange: (download) => events.publish({ type: "model-download", download }),
    log,
  });
  const importer = createModelImporter({
    incomingDir,
    catalog,
    install,
    launchChild: platform.launchChild,
    onProgress: (progress) => events.publish({ type: "model-import", progress }),
  });
  async function close(): Promise<void> {
    await downloads.close();
    await dispatcher.destroy();
  }
  return { store, names, downloads, importer, close };
}

/** The last value that could be read: settings stay available if the library is damaged later. */
function rememberLast<T>(read: () => T): () => T {
  let value = read();
  return () => {
    try {
      value = read();
    } catch {
      // The last value counts.
    }
    return value;
  };
}
