// Compares one or two models on the same clip or sentence and measures the time of each. They run one after the other,
// so that neither slows the other down. Each first does a short untimed warm-up, because loading a model or opening a
// connection would distort the result.

import { useCallback, useEffect, useState } from "react";
import { transcribeAudio, synthesizeSpeech } from "../../api/speech.ts";
import { isAbort, messageOf } from "../../api/error.ts";
import { closePlayer, usePlayer } from "../../stores/player.ts";

export type TrialTranscript = { readonly kind: "transcript"; readonly text: string };
/** `url` is the audio's; it is valid until the next trial. */
export type TrialSpeech = { readonly kind: "speech"; readonly url: string; readonly bytes: number };
export type Outcome = {
  readonly model: string;
  readonly tookMs: number;
  readonly result?: TrialTranscript | TrialSpeech;
  readonly error?: string;
};

export type TrialClip = {
  readonly blob: Blob;
  readonly name: string;
  /** In the library. */
  readonly itemId?: string;
};
export type TrialInput =
  | {
      readonly kind: "transcribe";
      readonly clip: () => Promise<TrialClip>;
      /** For the warm-up; default: `clip`, if short. */
      readonly shortClip?: () => Promise<TrialClip>;
    }
  | { readonly kind: "synthesize"; readonly text: string; readonly voice: string };

export type Trial = {
  readonly outcomes: readonly Outcome[];
  /** The model being tried. */
  readonly running: string | undefined;
  /** The warm-up runs; its time does not count. */
  readonly isWarmingUp: boolean;
  /** Why the clip could not be read. */
  readonly error: string | undefined;
  start(models: readonly string[], input: TrialInput): void;
  stop(): void;
};

type State = {
  outcomes: readonly Outcome[];
  running: string | undefined;
  isWarmingUp: boolean;
  error: string | undefined;
  stop: AbortController | undefined;
};
const idle: State = {
  outcomes: [],
  running: undefined,
  isWarmingUp: false,
  error: undefined,
  stop: undefined,
};

function releaseUrls(outcomes: readonly Outcome[]): void {
  for (const { result } of outcomes) {
    if (result?.kind !== "speech") continue;
    if (usePlayer.getState().source?.id === result.url) closePlayer();
    URL.revokeObjectURL(result.url);
  }
}

async function runTrial(
  model: string,
  input: TrialInput,
  clip: TrialClip | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const startedAtMs = performance.now();
  const elapsedMs = () => performance.now() - startedAtMs;
  try {
    if (clip !== undefined) {
      const { text } = await transcribeAudio(
        clip.blob,
        clip.name,
        { model, itemId: clip.itemId },
        signal,
      );
      return { model, tookMs: elapsedMs(), result: { kind: "transcript", text: text.trim() } };
    }
    if (input.kind !== "synthesize") return { model, tookMs: 0, error: "" };
    const audio = await synthesizeSpeech(input.text, { model, voice: input.voice }, signal);
    return {
      model,
      tookMs: elapsedMs(),
      result: { kind: "speech", url: URL.createObjectURL(audio), bytes: audio.size },
    };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { model, tookMs: elapsedMs(), error: messageOf(error) };
  }
}

/** The trial itself reports the same failure. */
async function warmUp(
  model: string,
  input: TrialInput,
  shortClip: TrialClip | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (input.kind === "synthesize")
      await synthesizeSpeech("One.", { model, voice: input.voice }, signal);
    else if (shortClip !== undefined)
      await transcribeAudio(shortClip.blob, shortClip.name, { model }, signal);
  } catch (error) {
    if (isAbort(error)) throw error;
  }
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
        const clip = input.kind === "transcribe" ? await input.clip() : undefined;
        // One warm-up clip for all models; if it cannot be read, none of them warms up.
        const shortClip =
          input.kind === "transcribe" && input.shortClip !== undefined
            ? await input.shortClip().catch(() => undefined)
            : clip;
        for (const model of models) {
          set((now) => ({ ...now, running: model, isWarmingUp: true }));
          await warmUp(model, input, shortClip, stop.signal);
          set((now) => ({ ...now, isWarmingUp: false }));
          const outcome = await runTrial(model, input, clip, stop.signal);
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
