// Transcription accuracy for English: single clips, and ten minutes of them in one file.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Clip,
  englishClips,
  hasSharedAudio,
  longRecording,
  sharedAudioDir,
  telephoneClips,
} from "../support/recordings.ts";
import { wavFile } from "../support/test-audio.ts";
import { totalErrors, wordErrors } from "../support/word-error-rate.ts";
import type { InProcessApp } from "./in-process-app.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";

const longSec = 600;

export async function evaluateTranscription(
  { transcribeText }: InProcessApp,
  scratchDir: string,
): Promise<Results> {
  const area = "transcribe";
  if (!hasSharedAudio)
    return { rows: [skipped(area, "word error rate", `no ${sharedAudioDir}`)], raw: {} };
  const [clearClips, telephoneRecordings] = [englishClips(), telephoneClips()];
  const transcripts = new Map<Clip, string>();
  for (const clip of [...clearClips, ...telephoneRecordings]) {
    logProgress(`transcribing ${clip.name}`);
    transcripts.set(clip, await transcribeText(clip.path));
  }
  const row = (what: string, clips: readonly Clip[], max?: number): Row => {
    const { rate, substituted, deleted, inserted, referenceWords } = totalErrors(
      clips.map((clip) => wordErrors(clip.text, transcripts.get(clip) ?? "")),
    );
    const note = `${substituted} wrong, ${deleted} missing, ${inserted} added of ${referenceWords} words`;
    return {
      area,
      what,
      value: 100 * rate,
      unit: "%",
      ...(max === undefined ? {} : { goal: { max } }),
      note,
    };
  };
  const long = longRecording([...clearClips, ...telephoneRecordings], longSec);
  const longPath = join(scratchDir, "long.wav");
  writeFileSync(longPath, wavFile([long.samples], 16_000));
  logProgress(`transcribing ${long.durationSec.toFixed(0)} s`);
  const longText = await transcribeText(longPath);
  const errors = wordErrors(long.text, longText);
  const note = `${errors.substituted} wrong, ${errors.deleted} missing, ${errors.inserted} added of ${errors.referenceWords} words`;
  return {
    rows: [
      row(`word error rate, ${clearClips.length} clips`, clearClips, 8),
      ...(telephoneRecordings.length === 0
        ? []
        : [row("word error rate, telephone", telephoneRecordings)]),
      {
        area,
        what: "word error rate, ten minutes of all clips",
        value: 100 * errors.rate,
        unit: "%",
        goal: { max: 10 },
        note,
      },
    ],
    raw: {
      transcripts: [...transcripts].map(([{ name, text }, transcribed]) => ({
        name,
        text,
        transcripts: transcribed,
        ...wordErrors(text, transcribed),
      })),
      long: { ...long, samples: undefined, transcripts: longText, ...errors },
    },
  };
}
