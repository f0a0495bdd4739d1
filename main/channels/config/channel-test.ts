// Tests a channel as it will be used: model list, transcription of a clip, synthesis of a sentence. Steps that the
// provider does not support, or that run out of time, are untested, not failed; but at least one step must pass.

import { join } from "node:path";

import type { ChannelConfig, ChannelTest } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import type { ModelInfo } from "../../contract/speech.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import type { Channel } from "../../contract/channel.ts";

/** The parts of a channel that the test uses. */
export type TestableChannel = Pick<Channel, "models" | "transcribe" | "synthesize"> & {
  refresh(signal: AbortSignal): Promise<void>;
};

export type ChannelTestOptions = {
  channel: TestableChannel;
  config: Pick<ChannelConfig, "baseUrl" | "voiceNames">;
  hasKey: boolean;
  /** For all steps together. */
  limitMs?: number;
};

type Step = ChannelTest["steps"][number];
/** An AppError means that the key was rejected. */
type StepResult = Step | AppError;

/** Synthesized with one of our voices. */
const clipPath = join(import.meta.dirname, "test-clip.mp3");
const clipText = "Yellow lemons roll down the street.";
/** One match is enough: the test checks that audio arrives and text comes back, not the quality of the model. */
const expectedClipWords = /yellow|lemon|roll|street/i;
/** `/v1`, `/v1beta` */
const versionSegment = /\/v\d[^/]*(\/|$)/i;
const sampleSentence = "Hello from Hearsay.";
/** A file up to this size has no samples. */
const wavHeaderBytes = 44;
const defaultLimitMs = 12_000;

/**
 * Requests the model list, then tests the first transcription model and the first synthesis model in parallel. Failures
 * of the channel are part of the result.
 * @throws the signal's reason if it is aborted
 */
export async function testChannel(
  { channel, config, hasKey, limitMs = defaultLimitMs }: ChannelTestOptions,
  signal: AbortSignal,
): Promise<ChannelTest> {
  const startMs = performance.now();
  const stepSignal = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const error = await captureFailure(channel.refresh(stepSignal), limitMs);
  signal.throwIfAborted();
  const tookMs = elapsedMs(startMs);
  const models = channel.models();

  const reachStep: Step =
    error !== undefined && isUnreachable(error)
      ? { step: "reach", outcome: "failed", message: error.message }
      : { step: "reach", outcome: "passed", message: `answers within ${tookMs} ms`, tookMs };
  const initialKeyStep = createKeyStep(error, hasKey);
  if (reachStep.outcome === "failed" || initialKeyStep.outcome === "failed")
    return toChannelTest([
      reachStep,
      initialKeyStep,
      untestedStep("models"),
      untestedStep("hear"),
      untestedStep("speak"),
    ]);

  const [transcriptionResult, speechResult] = await Promise.all([
    testTranscription(channel, models, limitMs, stepSignal),
    testSpeech(channel, models, chooseVoice(config.voiceNames), limitMs, stepSignal),
  ]);
  signal.throwIfAborted();
  const steps = [toStep(transcriptionResult, "hear"), toStep(speechResult, "speak")];
  const keyRefusal = [transcriptionResult, speechResult].find(
    (stepResult) => stepResult instanceof AppError,
  );
  // Some providers send their model list without a valid key, others have no list.
  const finalKeyStep: Step =
    keyRefusal !== undefined
      ? failedKeyStep(keyRefusal, hasKey)
      : hasKey && steps.some(isPassed)
        ? { step: "key", outcome: "passed", message: keyAccepted }
        : initialKeyStep;
  return toChannelTest([
    reachStep,
    finalKeyStep,
    createModelsStep(error, models, config.baseUrl),
    ...steps,
  ]);
}

const elapsedMs = (startMs: number): number => Math.round(performance.now() - startMs);
const toStep = (stepResult: StepResult, step: Step["step"]): Step =>
  stepResult instanceof AppError ? untestedStep(step) : stepResult;
const untestedStep = (step: Step["step"], message = "not tried"): Step => ({
  step,
  outcome: "untested",
  message,
});
const isPassed = ({ outcome }: Step): boolean => outcome === "passed";
/** Other steps prove nothing: any web server is reachable, with any key. */
const conclusiveSteps: readonly Step["step"][] = ["models", "hear", "speak"];
const toChannelTest = (steps: Step[]): ChannelTest => ({
  ok:
    steps.every(({ outcome }) => outcome !== "failed") &&
    steps.some((testStep) => isPassed(testStep) && conclusiveSteps.includes(testStep.step)),
  steps,
});

/** Failure of a step, its timeout included; undefined: it passed. */
async function captureFailure(
  work: Promise<unknown>,
  limitMs: number,
): Promise<AppError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    if (error instanceof Error && error.name === "TimeoutError") {
      return new AppError("upstream_timeout", `No answer within ${limitMs / 1000} s.`, {
        cause: error,
      });
    }
    throw error;
  }
}

const keyAccepted = "the key was accepted";
/** Uses the provider's words: the key may be unknown, or valid for other purposes only. */
const failedKeyStep = (error: AppError, hasKey: boolean): Step => ({
  step: "key",
  outcome: "failed",
  message: hasKey ? error.message : `a key is needed: ${error.message}`,
});

/** No response, or the address is this gateway itself. */
const isUnreachable = (error: AppError): boolean =>
  error.key === "upstream_unreachable" ||
  error.key === "upstream_timeout" ||
  error.row.code === "channel_loop";

function createKeyStep(error: AppError | undefined, hasKey: boolean): Step {
  if (error === undefined)
    return hasKey
      ? { step: "key", outcome: "passed", message: keyAccepted }
      : untestedStep("key", "no key was asked for");
  if (error.row.status === 401 || error.row.status === 403) return failedKeyStep(error, hasKey);
  return untestedStep("key");
}

function createModelsStep(
  error: AppError | undefined,
  models: readonly ModelInfo[],
  baseUrl: string,
): Step {
  if (error !== undefined) {
    const hint = versionSegment.test(new URL(baseUrl).pathname)
      ? ""
      : " (most addresses end in /v1; this one has no version)";
    const hasNoList = [404, 405, 501].includes(error.row.status);
    // Models named in the configuration can be tested without a list.
    if (hasNoList && models.length > 0)
      return untestedStep("models", `the provider has no list of its models${hint}`);
    return { step: "models", outcome: "failed", message: `${error.message}${hint}` };
  }
  if (models.length === 0)
    return {
      step: "models",
      outcome: "failed",
      message: "no models, or none that the filter lets through",
    };
  const count = (kind: ModelInfo["kind"]): number =>
    models.filter((model) => model.kind === kind).length;
  return {
    step: "models",
    outcome: "passed",
    message: `${models.length} ${models.length === 1 ? "model" : "models"}: ${count("speech-to-text")} hear, ${count("text-to-speech")} speak`,
  };
}

async function testTranscription(
  channel: TestableChannel,
  models: readonly ModelInfo[],
  limitMs: number,
  stepSignal: AbortSignal,
): Promise<StepResult> {
  const model = models.find(({ kind }) => kind === "speech-to-text");
  if (model === undefined) return untestedStep("hear", "no model is known to hear");
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
  const quotedText = text === "" ? "nothing" : `“${text.slice(0, 100)}”`;
  if (!expectedClipWords.test(text))
    return {
      step: "hear",
      outcome: "failed",
      message: `${model.id} heard ${quotedText} in “${clipText}”`,
      tookMs,
    };
  return {
    step: "hear",
    outcome: "passed",
    message: `${model.id} heard ${quotedText} in ${tookMs} ms`,
    tookMs,
  };
}

async function testSpeech(
  channel: TestableChannel,
  models: readonly ModelInfo[],
  voice: string,
  limitMs: number,
  stepSignal: AbortSignal,
): Promise<StepResult> {
  const model = models.find(({ kind }) => kind === "text-to-speech");
  if (model === undefined) return untestedStep("speak", "no model is known to speak");
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
      `${model.id} does not have the voice '${voice}': ${error.message}`,
    );
  }
  if (error !== undefined) return toFailedResult("speak", model.id, error);
  if (tookMs === undefined)
    return { step: "speak", outcome: "failed", message: `${model.id} answered without sound` };
  return {
    step: "speak",
    outcome: "passed",
    message: `${model.id} began to speak after ${tookMs} ms`,
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
    return untestedStep(
      step,
      `${model}: ${error.message} It may have to be loaded first: try again.`,
    );
  return { step, outcome: "failed", message: `${model}: ${error.message}` };
}
