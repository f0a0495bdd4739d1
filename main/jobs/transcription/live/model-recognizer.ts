// Recognizes a live session with the app's models and channels: speech is found in an engine process, drafts come from
// this machine alone, and what is settled from any channel, as a request of its own that is metered like every other.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { joinBytes, wavHeader } from "../../../audio/codec/framing.ts";
import type { SegmentationPolicy } from "../../../audio/dsp/vad-segmenter.ts";
import { parseLanguage } from "../../../contract/languages.ts";
import type { SpeechSpan } from "../../../contract/speech.ts";
import { addSpeechSec, dominantLanguage } from "../../../contract/transcript.ts";
import type { TranscribeOptions } from "../../../contract/transcript-document.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";
import { writeFile } from "../../../storage/disk.ts";
import { transcribePart, type TranscribeRangeDeps } from "../transcribe-range.ts";
import { type LiveRecognizer, sampleRateHz } from "./live-recognizer.ts";

export type ModelRecognizerOptions = {
  options: TranscribeOptions;
  /** Id of the key that pays, or `window`. */
  caller: string;
  /** Changes how speech is found; default: as in files. */
  policy?: Partial<SegmentationPolicy>;
  onSentTo?(channel: string): void;
};

/** A language detected in less is not relied on. */
const minDetectionSec = 1.5;

export function createModelRecognizer(
  deps: TranscribeRangeDeps,
  { options, caller, policy = {}, onSentTo = () => {} }: ModelRecognizerOptions,
): LiveRecognizer {
  const { pool, router, vad, tempDir } = deps;
  const stop = new AbortController();
  const child = pool.job(stop.signal).pin();
  let isOpen = false;
  /** For drafts: what was asked for, or was spoken last. */
  let language = options.language === undefined ? undefined : parseLanguage(options.language);

  const recentLanguages = createRecentLanguages();

  async function withFile<Result>(
    extension: string,
    bytes: Uint8Array,
    use: (path: string) => Promise<Result>,
  ): Promise<Result> {
    const path = join(tempDir(), `live-${randomUUID()}.${extension}`);
    try {
      await writeFile(path, bytes);
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    async detectSpeech(pcm, endsSpeech) {
      const { session } = child;
      if (!isOpen) await child.run("segment-live.open", { session, vad, policy });
      isOpen = true;
      return withFile("pcm", pcm, (path) =>
        child.run("segment-live.step", {
          session,
          path,
          fromByte: 0,
          toByte: pcm.length,
          endsSpeech,
        }),
      );
    },
    draft: (pcm, signal, growth) =>
      withFile("pcm", pcm, async (pcmPath) => {
        const durationSec = pcm.length / 2 / sampleRateHz;
        const { model, prompt, translate } = options;
        const draft = await router.draft(
          {
            task: translate ? "translate" : "transcribe",
            model,
            pcmPath,
            durationSec,
            ...(language === undefined ? {} : { language }),
            ...(prompt === undefined || prompt === "" ? {} : { prompt }),
            ...growth,
          },
          signal,
        );
        if (durationSec >= minDetectionSec) language ??= draft?.language;
        return draft;
      }),
    settle: (pcm, spans, signal) =>
      withFile("wav", joinBytes([wavHeader(sampleRateHz, pcm.length / 2), pcm]), async (path) => {
        const segments: TranscribedSegment[] = [];
        const [fromSec, toSec] = [spans[0]?.fromSec ?? 0, spans.at(-1)?.toSec ?? 0];
        const likelyLanguage = recentLanguages.likely();
        for await (const update of transcribePart(
          deps,
          {
            path,
            fromSec,
            toSec,
            excerpt: {
              speech: spans.map((span) => shiftSpan(span, -fromSec)),
              ...(likelyLanguage === undefined ? {} : { likelyLanguage }),
            },
          },
          { options, stream: false, onSentTo, caller },
          signal,
        ))
          segments.push(...update.segments);
        recentLanguages.add(segments);
        if (options.language === undefined) language = segments.at(-1)?.language || language;
        return segments;
      }),
    close() {
      stop.abort();
      child.release();
    },
  };
}

/** As much voice as decides the language of a file. */
const minLikelySec = 8;

/** The language of a session: most likely that of its speech so far. */
function createRecentLanguages() {
  const speechSec = new Map<string, number>();
  return {
    add: (segments: readonly TranscribedSegment[]): void => void addSpeechSec(speechSec, segments),
    likely(): string | undefined {
      const totalSec = [...speechSec.values()].reduce((sum, sec) => sum + sec, 0);
      return totalSec < minLikelySec ? undefined : dominantLanguage(speechSec);
    },
  };
}

const shiftSpan = (span: SpeechSpan, bySec: number): SpeechSpan => ({
  ...span,
  fromSec: span.fromSec + bySec,
  toSec: span.toSec + bySec,
  startSec: span.startSec + bySec,
  endSec: span.endSec + bySec,
});
