// How well the app hears English: clips one by one, and ten minutes of them in one file.

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
import { wavFile } from "../support/sounds.ts";
import { totalErrors, wordErrors } from "../support/word-error-rate.ts";
import type { AppHere } from "./app-here.ts";
import { type Results, type Row, skipped, tell } from "../support/report.ts";

const longSec = 600;

export async function evaluateHearing({ hear }: AppHere, scratchDir: string): Promise<Results> {
  const area = "hear";
  if (!hasSharedAudio)
    return { rows: [skipped(area, "word error rate", `no ${sharedAudioDir}`)], raw: {} };
  const [clear, telephone] = [englishClips(), telephoneClips()];
  const heard = new Map<Clip, string>();
  for (const clip of [...clear, ...telephone]) {
    tell(`hearing ${clip.name}`);
    heard.set(clip, await hear(clip.path));
  }
  const row = (what: string, clips: readonly Clip[], max?: number): Row => {
    const { rate, substituted, deleted, inserted, referenceWords } = totalErrors(
      clips.map((clip) => wordErrors(clip.text, heard.get(clip) ?? "")),
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
  const long = longRecording([...clear, ...telephone], longSec);
  const longPath = join(scratchDir, "long.wav");
  writeFileSync(longPath, wavFile([long.samples], 16_000));
  tell(`hearing ${long.durationSec.toFixed(0)} s`);
  const longText = await hear(longPath);
  const errors = wordErrors(long.text, longText);
  const note = `${errors.substituted} wrong, ${errors.deleted} missing, ${errors.inserted} added of ${errors.referenceWords} words`;
  return {
    rows: [
      row(`word error rate, ${clear.length} clips`, clear, 8),
      ...(telephone.length === 0 ? [] : [row("word error rate, telephone", telephone)]),
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
      heard: [...heard].map(([{ name, text }, said]) => ({
        name,
        text,
        heard: said,
        ...wordErrors(text, said),
      })),
      long: { ...long, samples: undefined, heard: longText, ...errors },
    },
  };
}
