// The clip of a trial. The choice outlives the page, because a clip recorded for a trial is stored nowhere else.

import { create } from "zustand";
import { request } from "../../api/client.ts";
import { mediaUrl, voiceSampleUrl } from "../../api/binary.ts";
import { useItems } from "../../stores/items.ts";
import { localVoices } from "../../stores/voices.ts";

/** A file, the id of an item, or the sample sentence. */
export type Clip =
  | { readonly from: "sample" }
  | { readonly from: "file"; readonly file: File }
  | { readonly from: "item"; readonly id: string };

const sample: Clip = { from: "sample" };
const useChosenClip = create<{ clip: Clip }>(() => ({ clip: sample }));

export const chooseClip = (clip: Clip): void => useChosenClip.setState({ clip });

/** Falls back to the sample if the selected item is not in the library any more. */
export function useClip(): Clip {
  const { clip } = useChosenClip();
  const isGone = useItems(
    ({ byId, isLoaded }) => isLoaded && clip.from === "item" && !byId.has(clip.id),
  );
  return isGone ? sample : clip;
}

export async function fetchClip(
  clip: Clip,
): Promise<{ blob: Blob; name: string; itemId?: string }> {
  if (clip.from === "file") return { blob: clip.file, name: clip.file.name };
  const blob = await (
    await request(clip.from === "item" ? mediaUrl(clip.id) : voiceSampleUrl(localVoices[0]))
  ).blob();
  // The extension matches the MIME type, because servers may look at either.
  return {
    blob,
    name: `clip.${extensionOf(blob.type)}`,
    ...(clip.from === "item" && { itemId: clip.id }),
  };
}

function extensionOf(mimeType: string): string {
  if (mimeType.includes("mpeg")) return "mp3";
  if (mimeType.includes("wav")) return "wav";
  return mimeType.split("/")[1]?.split(";")[0] ?? "wav";
}
