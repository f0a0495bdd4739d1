// Recognizes the audio of a realtime session with one configuration, and tells its turns.

import type { OpenSpeech } from "../../../audio/dsp/vad-segmenter.ts";
import { AppError } from "../../../contract/errors.ts";
import type { RealtimeConfig } from "../../../contract/realtime.ts";
import type { SpeechSpan } from "../../../contract/speech.ts";
import { sampleRateHz } from "../../../jobs/transcription/live/live-recognizer.ts";
import { createLiveSession } from "../../../jobs/transcription/live/live-session.ts";
import type { OpenLiveRecognizer } from "../../route-context.ts";
import { createAudioBuffer } from "./audio-buffer.ts";
import type { TurnList } from "./turn-list.ts";
import { type Turn, voicedUntil } from "./turns.ts";

export type Listening = {
  /** @throws AppError if too much audio waits */
  append(bytes: Uint8Array): void;
  /** Ends the turn after the last sample. @throws AppError if nothing was sent since the last one */
  commit(): void;
  /** Completes the turns. */
  finish(): Promise<void>;
  /** Discards the turns. */
  close(): Promise<void>;
};

export type ListeningOptions = {
  config: RealtimeConfig;
  /** Id of the key that pays, or `window`. */
  caller: string;
  turns: TurnList;
  openRecognizer: OpenLiveRecognizer;
  onFailure(error: unknown): void;
};

type Speech = { openSpeech: OpenSpeech | undefined; speechSegments: readonly SpeechSpan[] };

/** Audio that a client may send ahead. */
const maxBacklogSec = 60;
/** Of one event; OpenAI takes 15 MiB. */
const maxAppendSec = 330;
/** Shorter audio contains no word. */
const minCommitSec = 0.1;
const stepSec = 0.25;

export function startListening({
  config,
  caller,
  turns,
  openRecognizer,
  onFailure,
}: ListeningOptions): Listening {
  const audio = createAudioBuffer(config.format);
  let samples = 0;
  let committedSec = 0;
  let lastVoiceSec = 0;
  const bytesPerSec = config.format.type === "audio/pcm" ? config.format.rate * 2 : 8000;

  const live = createLiveSession({
    recognizer: openRecognizer(recognizerOptions(config, caller)),
    read: (from, to) => Promise.resolve(audio.read(from, to)),
    maxStepSec: stepSec,
    onDraft: turns.draft,
    onSettled: turns.settle,
    onStep(step, processedSec) {
      if (config.turnDetection !== null)
        detectTurns(step, processedSec, config.turnDetection.silence_duration_ms / 1000);
      audio.keepFrom(live.neededFrom());
    },
    onFailure(error, what) {
      if (what === "session") onFailure(error);
    },
  });

  function detectTurns(
    { openSpeech, speechSegments }: Speech,
    processedSec: number,
    silenceSec: number,
  ): void {
    // What belongs to a turn that has ended starts no other.
    const speech = [...speechSegments, ...(openSpeech === undefined ? [] : [openSpeech])];
    const first = speech.find(({ startSec }) => turns.isNew(startSec));
    if (turns.open() === undefined && first !== undefined) turns.start(first.fromSec);
    lastVoiceSec = Math.max(lastVoiceSec, voicedUntil(openSpeech, speechSegments));
    const turn = turns.open();
    if (turn === undefined || processedSec - lastVoiceSec < silenceSec) return;
    turns.stopSpeech(turn, processedSec);
    endTurn(turn, processedSec, "searched");
  }

  function endTurn(turn: Turn, endSec: number, after: "last" | "searched"): void {
    turns.end(turn, endSec);
    live.endSpeech(after).then(() => turns.complete(turn), onFailure);
  }

  return {
    append(bytes) {
      if (live.backlogSec() > maxBacklogSec || bytes.length / bytesPerSec > maxAppendSec)
        throw new AppError("realtime.tooFast", { max: maxBacklogSec }, { param: "audio" });
      if (config.turnDetection === null && turns.open() === undefined)
        turns.start(samples / sampleRateHz);
      samples = audio.append(bytes);
      live.onSamples(samples);
    },
    commit() {
      const endSec = samples / sampleRateHz;
      if (endSec - committedSec < minCommitSec) throw nothingToCommit();
      committedSec = endSec;
      endTurn(turns.open() ?? turns.start(endSec), endSec, "last");
    },
    async finish() {
      const turn = turns.open();
      if (turn !== undefined) endTurn(turn, samples / sampleRateHz, "last");
      await live.endSpeech();
      await live.close();
    },
    async close() {
      turns.discard();
      await live.close();
    },
  };
}

export const nothingToCommit = (): AppError =>
  new AppError("realtime.nothingToCommit", { minMs: minCommitSec * 1000 });

function recognizerOptions(
  { transcription: { model, language, prompt }, turnDetection }: RealtimeConfig,
  caller: string,
): Parameters<OpenLiveRecognizer>[0] {
  const options = {
    model,
    translate: false,
    temperature: 0,
    ...(language && { language }),
    ...(prompt && { prompt }),
  };
  if (turnDetection === null) return { options, caller };
  const { threshold, prefix_padding_ms: prefixMs } = turnDetection;
  const policy = {
    enterProb: threshold,
    quitProb: Math.max(0.02, threshold - 0.15),
    leadSec: prefixMs / 1000,
  };
  return { options, caller, policy };
}
