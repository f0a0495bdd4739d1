// Tests whether a channel's first model of a kind works: it transcribes a clip, or synthesizes a sentence.

import { join } from "node:path";
import type { Channel } from "../../contract/channel.ts";
import type { ChannelConfig } from "../../contract/channels.ts";
import type { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { ModelInfo } from "../../contract/models.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import {
  captureFailure,
  elapsedMs,
  type Step,
  type StepResult,
  untestedStep,
} from "./test-step.ts";

/** Synthesized with one of our voices. */
const clipPath = join(import.meta.dirname, "test-clip.mp3");
const clipText = "Yellow lemons roll down the street.";
/** One match is enough: the test checks that audio arrives and text comes back, not the quality of the model. */
const expectedClipWords = /yellow|lemon|roll|street/i;
const sampleSentence = "Hello from Hearsay.";
/** A file up to this size has no samples. */
const wavHeaderBytes = 44;

export async function testTranscription(
  channel: Pick<Channel, "transcribe">,
  models: readonly ModelInfo[],
  limitMs: number,
  stepSignal: AbortSignal,
): Promise<StepResult> {
  const model = models.find(({ kind }) => kind === "speech-to-text");
  if (model === undefined) return untestedStep("hear", createMessage("test.noTranscriptionModel"));
  const startMs = performance.now();
  let text = "";
  const error = await captureFailure(
    (async () => {
      const job = createTranscriptionJob({
        model: model.id,
        mediaPath: clipPath,
        language: "en",
        textOnly: true,
      });
      for await (const event of channel.transcribe(job, stepSignal)) {
        if (event.type === "done") text = event.transcript.text.trim();
      }
    })(),
    limitMs,
  );
  if (error !== undefined) return toFailedResult("hear", model.id, error);
  const tookMs = elapsedMs(startMs);
  const transcribed = { model: model.id, text: text.slice(0, 100) };
  if (!expectedClipWords.test(text))
    return {
      step: "hear",
      outcome: "failed",
      ...(text === ""
        ? createMessage("test.noWords", { model: model.id, expected: clipText })
        : createMessage("test.wrongWords", { ...transcribed, expected: clipText })),
      tookMs,
    };
  return {
    step: "hear",
    outcome: "passed",
    ...createMessage("test.transcribed", { ...transcribed, ms: tookMs }),
    tookMs,
  };
}

export async function testSpeech(
  channel: Pick<Channel, "synthesize">,
  models: readonly ModelInfo[],
  voiceNames: ChannelConfig["voiceNames"],
  limitMs: number,
  stepSignal: AbortSignal,
): Promise<StepResult> {
  const model = models.find(({ kind }) => kind === "text-to-speech");
  if (model === undefined) return untestedStep("speak", createMessage("test.noSpeechModel"));
  const voice = chooseVoice(voiceNames);
  const startMs = performance.now();
  let audioBytes = 0;
  let tookMs: number | undefined;
  const error = await captureFailure(
    (async () => {
      // The only format that every provider supports.
      const job = {
        model: model.id,
        text: sampleSentence,
        voice,
        speed: 1,
        format: "wav",
      } as const;
      for await (const { bytes } of channel.synthesize(job, stepSignal)) {
        audioBytes += bytes.length;
        if (audioBytes > wavHeaderBytes) tookMs ??= elapsedMs(startMs);
      }
    })(),
    limitMs,
  );
  // Voice names differ between providers: rejecting this one does not mean that synthesis fails.
  if (
    error !== undefined &&
    [400, 404, 422].includes(error.row.status) &&
    (error.param === "voice" || /\bvoice/i.test(error.message))
  ) {
    return untestedStep(
      "speak",
      createMessage("test.noVoice", { model: model.id, voice, why: error.sent }),
    );
  }
  if (error !== undefined) return toFailedResult("speak", model.id, error);
  if (tookMs === undefined)
    return {
      step: "speak",
      outcome: "failed",
      ...createMessage("test.noAudio", { model: model.id }),
    };
  return {
    step: "speak",
    outcome: "passed",
    ...createMessage("test.spoke", { model: model.id, ms: tookMs }),
    tookMs,
  };
}

/** A voice that the channel maps, `alloy` first. */
function chooseVoice(voiceNames: ChannelConfig["voiceNames"]): string {
  return "alloy" in voiceNames ? "alloy" : (Object.keys(voiceNames)[0] ?? "alloy");
}

/** The model list was accepted, so a 403 here is about the model or the account. */
function toFailedResult(step: Step["step"], model: string, error: AppError): StepResult {
  if (error.row.status === 401) return error;
  if (error.key === "upstream_timeout")
    return untestedStep(step, createMessage("test.mayBeLoading", { model, why: error.sent }));
  return {
    step,
    outcome: "failed",
    ...createMessage("test.modelFailed", { model, why: error.sent }),
  };
}
