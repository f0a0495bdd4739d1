// Recordings in five languages with their texts, from the folder `shared/audio` next to the project. The folder is not
// part of the project: without it, tests that need a clip are skipped by name.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openDecoder } from "../../main/audio/codec/decode.ts";
import { joinSamples } from "../../main/audio/codec/pcm.ts";

export const sharedAudioDir = resolve(import.meta.dirname, "..", "..", "..", "shared", "audio");
export const hasSharedAudio = existsSync(sharedAudioDir);

export const clipLanguages = ["en", "de", "fr", "es", "pt"] as const;
export type ClipLanguage = (typeof clipLanguages)[number];

export type Clip = {
  name: string;
  path: string;
  language: ClipLanguage;
  /** What is said. */
  text: string;
};

/** Sentences read aloud, five per language; none without the folder. */
export const clipsInLanguage = (language: ClipLanguage): Clip[] =>
  clips(new RegExp(`^fleurs-${language}-\\d+\\.ogg$`), language);
/** Sentences read aloud, and a part of a speech. */
export const englishClips = (): Clip[] => clips(/^(fleurs-en-\d+\.ogg|jfk\.wav)$/);
/** Sentences in telephone quality. */
export const telephoneClips = (): Clip[] => clips(/^harvard-8k\.wav$/);
/** All recordings. */
export const allClips = (): Clip[] => [
  ...englishClips(),
  ...telephoneClips(),
  ...clipLanguages.slice(1).flatMap(clipsInLanguage),
];

function clips(fileNamePattern: RegExp, language: ClipLanguage = "en"): Clip[] {
  if (!hasSharedAudio) return [];
  const files = readdirSync(sharedAudioDir)
    .filter((file) => fileNamePattern.test(file))
    .sort();
  return files.map((file) => {
    const name = file.replace(/\.\w+$/, "");
    return {
      name,
      path: join(sharedAudioDir, file),
      language,
      text: readFileSync(join(sharedAudioDir, `${name}.txt`), "utf8").trim(),
    };
  });
}

/** Audio of a media file, mono, in −1..1. */
export function readSamples(path: string, sampleRateHz: number): Float32Array {
  const decoder = openDecoder(path, { sampleRateHz });
  try {
    const blocks: Float32Array[] = [];
    for (let block = decoder.read(); block !== undefined; block = decoder.read())
      blocks.push(block);
    return joinSamples(blocks);
  } finally {
    decoder.close();
  }
}

export type LongRecording = { samples: Float32Array; durationSec: number; text: string };

/** The clips in sequence, repeated until at least `minSec` are reached; 16 kHz. */
export function longRecording(sourceClips: readonly Clip[], minSec: number): LongRecording {
  const sampleRateHz = 16_000;
  const decodedClips = sourceClips.map(({ path, text }) => ({
    samples: readSamples(path, sampleRateHz),
    text,
  }));
  const selectedClips: typeof decodedClips = [];
  let length = 0;
  while (decodedClips.length > 0 && length < minSec * sampleRateHz) {
    const next = decodedClips[selectedClips.length % decodedClips.length];
    if (next === undefined) break;
    selectedClips.push(next);
    length += next.samples.length;
  }
  return {
    samples: joinSamples(selectedClips.map(({ samples }) => samples)),
    durationSec: length / sampleRateHz,
    text: selectedClips.map(({ text }) => text).join(" "),
  };
}
