// The clip of a trial. The choice outlives the page, because a clip recorded for a trial is stored nowhere else.

import { create } from "zustand";
import { request } from "../../api/client.ts";
import { clipUrl, mediaUrl, voiceSampleUrl } from "../../api/binary.ts";
import { useItems } from "../../stores/items.ts";
import { localVoices } from "../../stores/voices.ts";
import type { TrialAudio } from "./trial.ts";

/** A file, the id of an item, the sample sentence, or the ids of clips that come with the app. */
export type Clip =
  | { readonly from: "sample" }
  | { readonly from: "file"; readonly file: File }
  | { readonly from: "item"; readonly id: string }
  | { readonly from: "app"; readonly ids: readonly string[] };

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

/** A clip that comes with the app. */
export const fetchAppClip = (id: string): Promise<TrialAudio> => fetchAudio(clipUrl(id));

export const fetchSample = (): Promise<TrialAudio> => fetchAudio(voiceSampleUrl(localVoices[0]));

export async function fetchItem(id: string): Promise<TrialAudio> {
  return { ...(await fetchAudio(mediaUrl(id))), itemId: id };
}

async function fetchAudio(url: string): Promise<TrialAudio> {
  const blob = await (await request(url)).blob();
  // The extension matches the MIME type, because servers may look at either.
  return { blob, name: `clip.${extensionOf(blob.type)}` };
}

function extensionOf(mimeType: string): string {
  if (mimeType.includes("mpeg")) return "mp3";
  if (mimeType.includes("wav")) return "wav";
  return mimeType.split("/")[1]?.split(";")[0] ?? "wav";
}
