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

export async function synthesizeSpeech(
  input: string,
  { model, voice, speed = 1, format = "mp3" }: SynthesisOptions,
  signal?: AbortSignal,
): Promise<Blob> {
  const body = JSON.stringify({ model, voice, input, speed, response_format: format });
  return (
    await request("/v1/audio/speech", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
      ...(signal && { signal }),
    })
  ).blob();
}

/** @param options.itemId the library item that the clip is the audio of */
export async function transcribeAudio(
  clip: Blob,
  name: string,
  options: {
    model: string;
    language?: string | undefined;
    prompt?: string | undefined;
    itemId?: string | undefined;
  },
  signal?: AbortSignal,
): Promise<TranscriptionResult> {
  const form = new FormData();
  form.set("file", clip, name);
  form.set("model", options.model);
  form.set("response_format", "verbose_json");
  if (options.language !== undefined) form.set("language", options.language);
  if (options.prompt !== undefined) form.set("prompt", options.prompt);
  return transcriptionSchema.parse(
    await (
      await request("/v1/audio/transcriptions", {
        method: "POST",
        body: form,
        ...(options.itemId !== undefined && { headers: { [itemHeader]: options.itemId } }),
        ...(signal && { signal }),
      })
    ).json(),
  );
}
