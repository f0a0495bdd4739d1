// Wires the models on this machine, and which of them serve a name.

import { createModelNames } from "../models/defaults.ts";
import { createModelStore } from "../models/model-store.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredLibrary } from "./library.ts";

export type WiredModels = ReturnType<typeof wireModels>;

export function wireModels({ platform, events, log }: Foundation, { preferences }: WiredLibrary) {
  const store = createModelStore({ dataDir: platform.dataDir, log: log.child({ room: "models" }) });
  store.onChange(() => events.publish({ type: "models" }));
  const names = createModelNames(
    store.list,
    rememberLast(() => preferences.read().models),
  );
  return { store, names };
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
