// Wires the models on this machine, which of them serve a name, and how more of them get here.

import type { ModelHub } from "../contract/model-downloads.ts";
import { createModelImporter } from "../models/archives/model-importer.ts";
import { catalog } from "../models/catalog.ts";
import { createClipMeasurements } from "../models/clip-measurements.ts";
import { createModelNames } from "../models/defaults.ts";
import { createModelDownloads } from "../models/download/downloads.ts";
import { createHubClient } from "../models/download/hub-client.ts";
import { createModelStore } from "../models/model-store.ts";
import { createProxyDispatcher } from "../network/proxies.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredLibrary } from "./library.ts";
import type { WiredNetwork } from "./network.ts";
import type { WiredSettings } from "./settings.ts";

/** A download without a byte for this long is tried again. */
const downloadStallMs = 60_000;
const defaultModelHub = "https://huggingface.co";
/** Of its access token, among the keys of providers. */
const modelHubId = "model-hub";

export type WiredModels = ReturnType<typeof wireModels>;

export function wireModels(
  { platform, settings, events, ...rest }: Foundation,
  { preferences }: WiredLibrary,
  { providerKeys }: WiredSettings,
  { outbound }: WiredNetwork,
) {
  const log = rest.log.child({ room: "models" });
  const store = createModelStore({ dataDir: platform.dataDir, log });
  const publishModels = (): void => events.publish({ type: "models" });
  const measurements = createClipMeasurements({
    dataDir: platform.dataDir,
    onChange: publishModels,
    log,
  });
  store.onChange(publishModels);
  const names = createModelNames(
    store.list,
    rememberLast(() => preferences.read().models),
  );
  const { incomingDir, install } = store;
  const hub = wireHub(settings.modelHub ?? defaultModelHub, providerKeys);
  const proxies = createProxyDispatcher(async (url) => {
    const proxy = await platform.findProxy?.(url);
    // Offline may have been switched on while the system was asked.
    outbound.check(url);
    return proxy;
  });
  const downloads = createModelDownloads({
    incomingDir,
    catalog,
    target: store,
    client: createHubClient({
      dispatcher: outbound.guard(proxies.dispatcher, { kind: "model-download", name: "" }),
      stallMs: downloadStallMs,
    }),
    endpoints: [hub.baseUrl, ...(settings.modelMirrors ?? [])].map((baseUrl) => ({ baseUrl })),
    token: hub.token,
    onChange: (download) => events.publish({ type: "model-download", download }),
    log,
  });
  const importer = createModelImporter({
    incomingDir,
    catalog,
    installed: store.list,
    install,
    launchChild: platform.launchChild,
    onProgress: (progress) => events.publish({ type: "model-import", progress }),
  });
  async function close(): Promise<void> {
    await downloads.close();
    await proxies.destroy();
  }
  return { store, names, measurements, downloads, hub, importer, close };
}

/** The model hub's access token is kept like the keys of providers: for one address only. */
function wireHub(baseUrl: string, keys: WiredSettings["providerKeys"]) {
  const { host, origin } = new URL(baseUrl);
  const owner = { id: modelHubId, name: modelHubId, origin, keyVariable: "HF_TOKEN" };
  return {
    baseUrl,
    token: () => keys.get(owner),
    read: (): ModelHub => ({ host, token: keys.source(owner) }),
    setToken: (token: string | null): Promise<void> =>
      token === null ? keys.remove(owner.id) : keys.set(owner.id, origin, token),
  };
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
