// The transcription that a Wyoming client asks for, and the events that answer it.

import { z } from "zod";
import { parseLanguage } from "../../contract/languages.ts";
import type { TranscriptionEvent, TranscriptionJob } from "../../contract/speech.ts";
import { separatorBeforeSegment } from "../../contract/transcript.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import { defaultTranscriptionModel } from "./info.ts";
import type { Send } from "./wire-format.ts";

export const transcribeFields = z.object({
  name: z.string().max(200).nullish(),
  language: z.string().max(40).nullish(),
  transcript_names: z.array(z.string()).nullish(),
  transcript_terms: z.array(z.string()).nullish(),
});
export type TranscribeFields = z.infer<typeof transcribeFields>;

/** For the spelling of names; as long as prompts of models may be. */
const maxPromptLength = 800;

export function toTranscriptionJob(
  { name, language, transcript_names: names, transcript_terms: terms }: TranscribeFields,
  media: Pick<TranscriptionJob, "mediaPath" | "mediaBytes">,
): TranscriptionJob {
  return createTranscriptionJob({
    ...media,
    model: name ?? defaultTranscriptionModel,
    language: language === "auto" ? undefined : (language ?? undefined),
    prompt: [...(names ?? []), ...(terms ?? [])].join(", ").slice(0, maxPromptLength),
    isBestEffort: true,
    textOnly: true,
    stream: true,
  });
}

/** The text as it is recognized, then the whole text for clients that take no streams. */
export async function sendTranscript(
  events: AsyncIterable<TranscriptionEvent>,
  send: Send,
): Promise<void> {
  let isFirst = true;
  await send("transcript-start");
  for await (const event of events) {
    if (event.type === "segment") {
      const separator = isFirst ? "" : separatorBeforeSegment(event.segment, "transcribe");
      await send("transcript-chunk", { text: separator + event.segment.text.trim() });
      isFirst = false;
    } else if (event.type === "text") {
      await send("transcript-chunk", { text: event.text });
    } else if (event.type === "done") {
      const { text, language } = event.transcript;
      const code = parseLanguage(language);
      await send("transcript", { text, ...(code === undefined ? {} : { language: code }) });
    }
  }
  await send("transcript-stop");
}
