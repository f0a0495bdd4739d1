// Tries a model once on this machine, in a child process of its own: whether it works, its speed and its memory, and
// which execution provider suits it. Drivers crash or never return, so that each provider has its own process, too.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { MeasuringClip, ModelMeasurement } from "../contract/measurements.ts";
import { createMessage, type SentMessage } from "../contract/messages/messages.ts";
import type { InstalledModel, ModelVoice } from "../contract/models.ts";
import { createTranscriptionJob } from "../contract/transcription-job.ts";
import { isCpuOnly } from "../engines/model-runtime.ts";
import type { Pool } from "../engines/pool/pool.ts";
import { createModelNames } from "../models/defaults.ts";
import { mkdir, writeFile } from "../storage/disk.ts";
import { findTextErrors } from "../transcript/word-errors.ts";
import { createLocalChannel } from "./local-channel.ts";
import { chooseProvider } from "./provider-choice.ts";

/** In a language of the model, if there is such a clip. A model that speaks says its text. */
export type TrialClip = Omit<MeasuringClip, "id"> & { bytes: Uint8Array };

export type ModelTrialDeps = {
  /** A pool of one process, which is killed if a task takes longer. The trial closes it. */
  createPool(taskTimeoutMs: number): Pool;
  vad: InstalledModel;
  /** Those that every model has. */
  voices: readonly ModelVoice[];
  tempDir(): string;
  /** Execution providers besides the CPU. */
  listProviders(signal: AbortSignal): Promise<readonly string[]>;
};

/** Loading a large model from a slow disk, and two runs on a slow machine. */
const cpuLimitMs = 300_000;
/** Another provider that takes longer than the CPU is of no use, but it may compile its kernels first. */
const providerLimitMs = 30_000;
/** The smallest models get up to half of the words wrong in languages they hardly know. */
const maxErrorRate = 0.75;
/** Of 16-bit samples: -40 dB. */
const minPeak = 328;

/**
 * @throws AppError `model_unusable` if the model does not work, or what else went wrong
 */
export async function tryModel(
  model: InstalledModel,
  clip: TrialClip,
  deps: ModelTrialDeps,
  signal: AbortSignal,
): Promise<Omit<ModelMeasurement, "measuredAt">> {
  const cpu = await runInChild({ ...model, provider: "cpu" }, clip, deps, signal);
  const doubt = await doubtOf(model, clip, cpu);
  if (doubt !== undefined) return { ...cpu.memory, doubt };
  const { provider, reasons } = await chooseProvider(
    { ...cpu, language: clip.language },
    !isCpuOnly(model) && cpu.text !== "" ? await deps.listProviders(signal) : [],
    (name) => runInChild({ ...model, provider: name }, clip, deps, signal, providerLimitMs),
  );
  signal.throwIfAborted();
  return {
    ...(cpu.audioSec > 0 && { speed: cpu.audioSec / cpu.tookSec }),
    ...cpu.memory,
    ...(provider === "cpu" ? {} : { provider }),
    ...(reasons.length === 0 ? {} : { providerReasons: reasons }),
  };
}

const knows = ({ languages }: InstalledModel, language: string): boolean =>
  languages.some(({ code }) => code === language);

/** A result says nothing if the model does not know the clip's language. */
async function doubtOf(
  model: InstalledModel,
  clip: TrialClip,
  { text, peak }: Output,
): Promise<SentMessage | undefined> {
  if (!knows(model, clip.language)) return undefined;
  if (model.kind === "text-to-speech")
    return peak < minPeak ? createMessage("model.silence") : undefined;
  const { rate } = await findTextErrors(clip.text, text, clip.language);
  return rate > maxErrorRate
    ? createMessage("model.wrongText", { text, expected: clip.text })
    : undefined;
}

type Output = {
  readonly audioSec: number;
  /** Recognized; empty for speech. */
  readonly text: string;
  /** Greatest 16-bit sample of speech. */
  readonly peak: number;
};

type Run = Output & {
  readonly tookSec: number;
  readonly memory: Pick<ModelMeasurement, "memoryBytes">;
};

/** Runs a model twice: the first run loads it. */
async function runInChild(
  model: InstalledModel,
  clip: TrialClip,
  { createPool, vad, voices, tempDir }: ModelTrialDeps,
  signal: AbortSignal,
  limitMs = cpuLimitMs,
): Promise<Run> {
  signal.throwIfAborted();
  const pool = createPool(limitMs);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  // A driver that never returns does not notice that its task was cancelled: its process is ended.
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= pool.close());
  limited.addEventListener("abort", () => void close(), { once: true });

  const folder = join(tempDir(), randomUUID());
  const channel = createLocalChannel({
    pool,
    names: createModelNames(
      () => [model, vad],
      () => ({ transcribe: {}, translate: {}, speak: {}, speakHd: {} }),
    ),
    models: () => [model],
    vad,
    voices,
    tempDir: () => folder,
  });

  async function transcribe(): Promise<Output> {
    const mediaPath = join(folder, "clip.webm");
    await writeFile(mediaPath, clip.bytes);
    const language = knows(model, clip.language) ? clip.language : model.languages[0]?.code;
    const job = createTranscriptionJob({ model: model.id, mediaPath, language });
    for await (const event of channel.transcribe(job, limited)) {
      if (event.type === "failed") throw failureOf(model, event.range);
      if (event.type === "done")
        return { text: event.transcript.text.trim(), audioSec: clip.durationSec, peak: 0 };
    }
    throw new Error("the trial ended without a transcript");
  }

  async function speak(): Promise<Output> {
    const voice = (model.voices ?? voices)[0]?.id ?? "";
    let [audioSec, peak] = [0, 0];
    const job = { model: model.id, text: clip.text, voice, speed: 1, format: "pcm" as const };
    try {
      for await (const chunk of channel.synthesize(job, limited)) {
        audioSec = chunk.audioSec ?? audioSec;
        peak = Math.max(peak, peakOf(chunk.bytes));
      }
    } catch (error) {
      if (!(error instanceof AppError && error.key === "nothing_to_say")) throw error;
    }
    return { text: "", audioSec, peak };
  }

  const run = model.kind === "text-to-speech" ? speak : transcribe;
  try {
    await mkdir(folder, { mode: 0o700 });
    await run();
    const startMs = performance.now();
    const output = await run();
    const tookSec = (performance.now() - startMs) / 1000;
    const bytes = pool.memory().models.get(model.id)?.bytes ?? 0;
    return { ...output, tookSec, memory: bytes > 0 ? { memoryBytes: bytes } : {} };
  } catch (error) {
    if (limited.aborted && !signal.aborted)
      throw new AppError("model.trialTimeout", { sec: limitMs / 1000 }, { cause: error });
    if (error instanceof AppError && error.key === "engine_failed")
      throw failureOf(model, error.sent);
    throw error;
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

function peakOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let peak = 0;
  for (let offset = 0; offset + 1 < bytes.length; offset += 2)
    peak = Math.max(peak, Math.abs(view.getInt16(offset, true)));
  return peak;
}

function failureOf(
  { id }: InstalledModel,
  { message, id: reasonId, params }: SentMessage,
): AppError {
  // Processes that are killed from outside say nothing about the model.
  if (reasonId === "engine.keepsStopping") return new AppError(reasonId);
  return new AppError("model.doesNotWork", {
    model: id,
    reason: { message, ...(reasonId && { id: reasonId }), ...(params && { params }) },
  });
}
