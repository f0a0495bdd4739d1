// The configuration of a realtime session: changes to it, in the present form and that of the beta, and its description
// in events.

import type { z } from "zod";
import { AppError } from "../../../contract/errors.ts";
import {
  betaSessionUpdate,
  type RealtimeConfig,
  sessionUpdate,
} from "../../../contract/realtime.ts";
import { parseFields } from "../../../contract/validation.ts";

export const defaultConfig = (model: string): RealtimeConfig => ({
  format: { type: "audio/pcm", rate: 24_000 },
  transcription: { model },
  noiseReduction: null,
  turnDetection: {
    type: "server_vad",
    threshold: 0.5,
    prefix_padding_ms: 300,
    silence_duration_ms: 500,
  },
  include: [],
});

type Input = NonNullable<NonNullable<z.output<typeof sessionUpdate>["audio"]>["input"]>;

/** @throws AppError that names what the session cannot be given */
export function updateConfig(
  config: RealtimeConfig,
  session: Record<string, unknown>,
  isBeta: boolean,
): RealtimeConfig {
  checkTurnDetection(isBeta ? session["turn_detection"] : inputOf(session)["turn_detection"]);
  if (!isBeta) {
    if (session["type"] === "realtime") throw new AppError("realtime.noConversation");
    const { audio, include } = parseFields(sessionUpdate, session);
    return applyInput(config, audio?.input ?? {}, include);
  }
  const beta = parseFields(betaSessionUpdate, session);
  return applyInput(
    config,
    {
      format: beta.input_audio_format && betaFormats[beta.input_audio_format],
      transcription: beta.input_audio_transcription,
      noise_reduction: beta.input_audio_noise_reduction,
      turn_detection: beta.turn_detection,
    },
    beta.include,
  );
}

const betaFormats = {
  pcm16: { type: "audio/pcm", rate: 24_000 },
  g711_ulaw: { type: "audio/pcmu" },
  g711_alaw: { type: "audio/pcma" },
} as const;

function inputOf(session: Record<string, unknown>): Record<string, unknown> {
  const { input } = (session["audio"] ?? {}) as { input?: unknown };
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
}

function checkTurnDetection(value: unknown): void {
  if (typeof value === "object" && value !== null && "type" in value)
    if (value.type === "semantic_vad")
      throw new AppError("realtime.noSemanticVad", {}, { param: "turn_detection" });
}

const applyInput = (
  config: RealtimeConfig,
  { format, transcription, noise_reduction, turn_detection }: Input,
  include: readonly string[] | null | undefined,
): RealtimeConfig => ({
  format: format ?? config.format,
  transcription: {
    ...config.transcription,
    ...transcription,
    model: transcription?.model ?? config.transcription.model,
  },
  noiseReduction: noise_reduction === undefined ? config.noiseReduction : noise_reduction,
  turnDetection: turn_detection === undefined ? config.turnDetection : turn_detection,
  include: include ?? config.include,
});

export const describeSession = (id: string, config: RealtimeConfig) => ({
  type: "transcription",
  object: "realtime.transcription_session",
  id,
  audio: {
    input: {
      format: config.format,
      transcription: config.transcription,
      noise_reduction: config.noiseReduction,
      turn_detection: config.turnDetection,
    },
  },
  include: config.include,
});

export const describeBetaSession = (id: string, config: RealtimeConfig) => ({
  object: "realtime.transcription_session",
  id,
  input_audio_format:
    Object.entries(betaFormats).find(([, { type }]) => type === config.format.type)?.[0] ?? "pcm16",
  input_audio_transcription: config.transcription,
  input_audio_noise_reduction: config.noiseReduction,
  turn_detection: config.turnDetection,
});
