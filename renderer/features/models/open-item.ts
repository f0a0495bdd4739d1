// The transcript that the person came from, to look for a better model (`?for=` in the address).

import { go, useRoute } from "../../stores/route.ts";

export type OpenItem = { transcribeWith(model: string): void };

export function useOpenItem(): OpenItem | undefined {
  const id = useRoute().query.get("for");
  if (id === null) return undefined;
  return {
    transcribeWith: (model) =>
      go(`/transcribe/${encodeURIComponent(id)}?again=${encodeURIComponent(model)}`),
  };
}
