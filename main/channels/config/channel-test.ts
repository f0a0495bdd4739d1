// Tests a channel as it will be used: model list, transcription of a clip, synthesis of a sentence. Steps that the
// provider does not support, or that run out of time, are untested, not failed; but at least one step must pass.

import { join } from "node:path";

import type { ChannelConfig, ChannelTest } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
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
      ? { step: "reach", outcome: "failed", ...error.sent }
      : {
          step: "reach",
          outcome: "passed",
          ...createMessage("test.reached", { ms: tookMs }),
          tookMs,
        };
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
        ? { step: "key", outcome: "passed", ...createMessage("test.keyAccepted") }
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
const untestedStep = (step: Step["step"], message = createMessage("test.notTried")): Step => ({
  step,
  outcome: "untested",
  ...message,
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
      return new AppError("channel.noAnswer", { seconds: limitMs / 1000 }, { cause: error });
    }
    throw error;
  }
}

/** Uses the provider's words: the key may be unknown, or valid for other purposes only. */
const failedKeyStep = (error: AppError, hasKey: boolean): Step => ({
  step: "key",
  outcome: "failed",
  ...(hasKey ? error.sent : createMessage("test.keyNeeded", { why: error.sent })),
});

/** No response, or the address is this gateway itself. */
const isUnreachable = (error: AppError): boolean =>
  error.key === "offline" ||
  error.key === "upstream_unreachable" ||
  error.key === "upstream_timeout" ||
  error.row.code === "channel_loop";

function createKeyStep(error: AppError | undefined, hasKey: boolean): Step {
  if (error === undefined)
    return hasKey
      ? { step: "key", outcome: "passed", ...createMessage("test.keyAccepted") }
      : untestedStep("key", createMessage("test.noKeyNeeded"));
  if (error.row.status === 401 || error.row.status === 403) return failedKeyStep(error, hasKey);
  return untestedStep("key");
}

function createModelsStep(
  error: AppError | undefined,
  models: readonly ModelInfo[],
  baseUrl: string,
): Step {
  if (error !== undefined) {
    const isVersioned = versionSegment.test(new URL(baseUrl).pathname);
    const addHint = (why: SentMessage): SentMessage =>
      isVersioned ? why : createMessage("test.unversioned", { why });
    const hasNoList = [404, 405, 501].includes(error.row.status);
    // Models named in the configuration can be tested without a list.
    if (hasNoList && models.length > 0)
      return untestedStep("models", addHint(createMessage("test.noList")));
    return { step: "models", outcome: "failed", ...addHint(error.sent) };
  }
  if (models.length === 0)
    return {
      step: "models",
      outcome: "failed",
      ...createMessage("test.noModels"),
    };
  const count = (kind: ModelInfo["kind"]): number =>
    models.filter((model) => model.kind === kind).length;
  return {
    step: "models",
    outcome: "passed",
    ...createMessage("test.models", {
      count: models.length,
      transcription: count("speech-to-text"),
      speech: count("text-to-speech"),
    }),
  };
}

async function testTranscription(
  channel: TestableChannel,
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
  const heard = { model: model.id, text: text.slice(0, 100) };
  if (!expectedClipWords.test(text))
    return {
      step: "hear",
      outcome: "failed",
      ...(text === ""
        ? createMessage("test.noWords", { model: model.id, expected: clipText })
        : createMessage("test.wrongWords", { ...heard, expected: clipText })),
      tookMs,
    };
  return {
    step: "hear",
    outcome: "passed",
    ...createMessage("test.transcribed", { ...heard, ms: tookMs }),
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
  if (model === undefined) return untestedStep("speak", createMessage("test.noSpeechModel"));
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
