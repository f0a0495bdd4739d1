// The window as a client of /v1: synthesizes a sentence, transcribes a clip. Only for samples and trials; everything
// that is stored goes through the library.

import { z } from "zod";
import { itemHeader } from "../../main/contract/window-api.ts";
import { request } from "./client.ts";

const transcriptionSchema = z.object({
  text: z.string(),
  duration: z.number().optional(),
  language: z.string().optional(),
});
export type TranscriptionResult = z.infer<typeof transcriptionSchema>;

export type SynthesisOptions = {
  model: string;
  voice: string;
  speed?: number;
  format?: "mp3" | "wav";
};

/** The response's headers tell which voices took over. */
export const requestSpeech = (
  input: string,
  { model, voice, speed = 1, format = "mp3" }: SynthesisOptions,
  signal?: AbortSignal,
): Promise<Response> =>
  request("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model, voice, input, speed, response_format: format }),
    headers: { "content-type": "application/json" },
    ...(signal && { signal }),
  });

export const synthesizeSpeech = async (
  input: string,
  options: SynthesisOptions,
  signal?: AbortSignal,
): Promise<Blob> => (await requestSpeech(input, options, signal)).blob();

/** @param options.itemId the library item that the clip is the audio of */
export async function transcribeAudio(
  clip: Blob,
  name: string,
  options: {
    model: string;
    language?: string | undefined;
    prompt?: string | undefined;
    itemId?: string | undefined;
    /** Use the app's vocabulary. */
    hasVocabulary?: boolean;
    /** Into English. */
    translate?: boolean | undefined;
  },
  signal?: AbortSignal,
): Promise<TranscriptionResult> {
  const form = new FormData();
  form.set("file", clip, name);
  form.set("model", options.model);
  form.set("response_format", "verbose_json");
  if (options.language !== undefined) form.set("language", options.language);
  if (options.hasVocabulary === true) form.set("vocabulary", "true");
  if (options.prompt !== undefined) form.set("prompt", options.prompt);
  return transcriptionSchema.parse(
    await (
      await request(`/v1/audio/${options.translate ? "translations" : "transcriptions"}`, {
        method: "POST",
        body: form,
        ...(options.itemId !== undefined && { headers: { [itemHeader]: options.itemId } }),
        ...(signal && { signal }),
      })
    ).json(),
  );
}
