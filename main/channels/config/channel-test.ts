// Tests a channel as it will be used: model list, transcription of a clip, synthesis of a sentence. Steps that the
// provider does not support, or that run out of time, are untested, not failed; but at least one step must pass.

import type { ChannelConfig, ChannelTest } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { ModelInfo } from "../../contract/models.ts";
import type { Channel } from "../../contract/channel.ts";
import { testSpeech, testTranscription } from "./model-test.ts";
import {
  captureFailure,
  elapsedMs,
  type Step,
  type StepResult,
  untestedStep,
} from "./test-step.ts";

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

/** `/v1`, `/v1beta` */
const versionSegment = /\/v\d[^/]*(\/|$)/i;
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
    testSpeech(channel, models, config.voiceNames, limitMs, stepSignal),
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

const toStep = (stepResult: StepResult, step: Step["step"]): Step =>
  stepResult instanceof AppError ? untestedStep(step) : stepResult;
const isPassed = ({ outcome }: Step): boolean => outcome === "passed";
/** Other steps prove nothing: any web server is reachable, with any key. */
const conclusiveSteps: readonly Step["step"][] = ["models", "hear", "speak"];
const toChannelTest = (steps: Step[]): ChannelTest => ({
  ok:
    steps.every(({ outcome }) => outcome !== "failed") &&
    steps.some((testStep) => isPassed(testStep) && conclusiveSteps.includes(testStep.step)),
  steps,
});

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
