// Tries models on the same clips or sentence and measures the time of each. They run one after the other, so that none
// slows another down. Each first does a short untimed warm-up, because loading a model or opening a connection would
// distort the result.

import { useCallback, useEffect, useState } from "react";
import { voiceHeader } from "../../../main/contract/openai.ts";
import { call } from "../../api/client.ts";
import { requestSpeech, transcribeAudio, synthesizeSpeech } from "../../api/speech.ts";
import { isAbort, messageOf } from "../../api/error.ts";
import { closePlayer, usePlayer } from "../../stores/player.ts";
import type { TrialTranscript } from "./measured-total.ts";

export type Outcome = {
  readonly model: string;
  readonly tookMs: number;
  readonly transcripts: readonly TrialTranscript[];
  /** Of the audio; valid until the next trial. */
  readonly speechUrl?: string;
  /** The voice that does not know the language, and the one that spoke instead. */
  readonly takeover?: { readonly voice: string; readonly other: string };
  readonly error?: string;
};

export type TrialAudio = {
  readonly blob: Blob;
  readonly name: string;
  /** In the library. */
  readonly itemId?: string;
};
export type TrialClip = {
  /** In the table of measurements. */
  readonly name: string;
  fetch(): Promise<TrialAudio>;
  /** With the reference text, errors are counted. */
  readonly expected?: { readonly text: string; readonly language: string };
};
export type TrialInput =
  | {
      readonly kind: "transcribe";
      readonly clips: readonly TrialClip[];
      /** For the warm-up; default: the first clip. */
      fetchShortClip?(): Promise<TrialAudio>;
    }
  | { readonly kind: "synthesize"; readonly text: string; readonly voice: string };

export type Trial = {
  readonly outcomes: readonly Outcome[];
  /** The model being tried. */
  readonly running: string | undefined;
  /** The warm-up runs; its time does not count. */
  readonly isWarmingUp: boolean;
  /** Why a clip could not be read. */
  readonly error: string | undefined;
  start(models: readonly string[], input: TrialInput): void;
  stop(): void;
};

type State = Omit<Trial, "start" | "stop"> & { stop: AbortController | undefined };
const idle: State = {
  outcomes: [],
  running: undefined,
  isWarmingUp: false,
  error: undefined,
  stop: undefined,
};

function releaseUrls(outcomes: readonly Outcome[]): void {
  for (const { speechUrl } of outcomes) {
    if (speechUrl === undefined) continue;
    if (usePlayer.getState().source?.id === speechUrl) closePlayer();
    URL.revokeObjectURL(speechUrl);
  }
}

/** The audio of each clip. */
type FetchedClip = TrialClip & { readonly audio: TrialAudio };

async function transcribe(
  model: string,
  { name, audio, expected }: FetchedClip,
  signal: AbortSignal,
): Promise<TrialTranscript> {
  const startMs = performance.now();
  const { text: rawText, duration: durationSec } = await transcribeAudio(
    audio.blob,
    audio.name,
    { model, itemId: audio.itemId, language: expected?.language },
    signal,
  );
  const tookMs = performance.now() - startMs;
  const text = rawText.trim();
  if (expected === undefined) return { clip: name, text, tookMs };
  const measured = await call("addMeasurement", {
    model,
    clip: name,
    language: expected.language,
    expected: expected.text,
    text,
    ...(durationSec !== undefined && durationSec > 0 && { durationSec }),
    tookSec: tookMs / 1000,
  });
  return { clip: name, text, tookMs, measured };
}

/** A failure keeps what was transcribed before. */
async function transcribeAll(
  model: string,
  clips: readonly FetchedClip[],
  signal: AbortSignal,
): Promise<Outcome> {
  const transcripts: TrialTranscript[] = [];
  const outcome = (): Outcome => ({
    model,
    tookMs: transcripts.reduce((sum, { tookMs }) => sum + tookMs, 0),
    transcripts,
  });
  try {
    for (const clip of clips) transcripts.push(await transcribe(model, clip, signal));
    return outcome();
  } catch (error) {
    if (isAbort(error)) throw error;
    return { ...outcome(), error: messageOf(error) };
  }
}

async function synthesize(
  model: string,
  { text, voice }: { text: string; voice: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const startMs = performance.now();
  const outcome = (): Outcome => ({
    model,
    tookMs: performance.now() - startMs,
    transcripts: [],
  });
  try {
    const response = await requestSpeech(text, { model, voice }, signal);
    const spokenBy = response.headers.get(voiceHeader);
    return {
      speechUrl: URL.createObjectURL(await response.blob()),
      ...outcome(),
      ...(spokenBy !== null && { takeover: { voice, other: spokenBy } }),
    };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { ...outcome(), error: messageOf(error) };
  }
}

/** The trial itself reports the same failure. */
async function warmUp(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isAbort(error)) throw error;
  }
}

/** How each model warms up and is tried. */
async function prepare(
  input: TrialInput,
  signal: AbortSignal,
): Promise<{ warmUp(model: string): Promise<unknown>; run(model: string): Promise<Outcome> }> {
  if (input.kind === "synthesize")
    return {
      warmUp: (model) => synthesizeSpeech("One.", { model, voice: input.voice }, signal),
      run: (model) => synthesize(model, input, signal),
    };
  const clips: FetchedClip[] = [];
  for (const clip of input.clips) clips.push({ ...clip, audio: await clip.fetch() });
  // One warm-up clip for all models; if it cannot be read, none of them warms up.
  const short = await (input.fetchShortClip?.().catch(() => undefined) ?? clips[0]?.audio);
  return {
    warmUp: async (model) =>
      short && (await transcribeAudio(short.blob, short.name, { model }, signal)),
    run: (model) => transcribeAll(model, clips, signal),
  };
}

export function useTrial(): Trial {
  const [state, setState] = useState<State>(idle);
  const start = useCallback((models: readonly string[], input: TrialInput) => {
    const stop = new AbortController();
    setState((before) => {
      before.stop?.abort();
      releaseUrls(before.outcomes);
      return { ...idle, stop, running: models[0], isWarmingUp: true };
    });
    /** Does nothing once a later trial has replaced this one. */
    const set = (change: (own: State) => State) =>
      setState((now) => (now.stop === stop ? change(now) : now));
    void (async () => {
      try {
        const prepared = await prepare(input, stop.signal);
        for (const model of models) {
          set((now) => ({ ...now, running: model, isWarmingUp: true }));
          await warmUp(prepared.warmUp(model));
          set((now) => ({ ...now, isWarmingUp: false }));
          const outcome = await prepared.run(model);
          set((now) => ({ ...now, outcomes: [...now.outcomes, outcome] }));
        }
      } catch (error) {
        if (!isAbort(error)) set((now) => ({ ...now, error: messageOf(error) }));
      } finally {
        set((now) => ({ ...now, running: undefined, isWarmingUp: false, stop }));
      }
    })();
  }, []);
  const stop = useCallback(() => setState((now) => (now.stop?.abort(), now)), []);
  useEffect(
    () => () =>
      setState((last) => {
        last.stop?.abort();
        releaseUrls(last.outcomes);
        return idle;
      }),
    [],
  );
  return {
    outcomes: state.outcomes,
    running: state.running,
    isWarmingUp: state.isWarmingUp,
    error: state.error,
    start,
    stop,
  };
}
