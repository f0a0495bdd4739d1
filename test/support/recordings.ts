// Recordings in five languages with their words, from the folder `shared/audio` beside the project. It is no part of
// the project: whoever needs a clip skips, by name, where the folder is missing.

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
  /** What is said. */ text: string;
};

/** Sentences read aloud, five a language; none where the folder is missing. */
export const clipsInLanguage = (language: ClipLanguage): Clip[] =>
  clips(new RegExp(`^fleurs-${language}-\\d+\\.ogg$`), language);
/** Sentences read aloud and a stretch of a speech. */
export const englishClips = (): Clip[] => clips(/^(fleurs-en-\d+\.ogg|jfk\.wav)$/);
/** Sentences over the telephone. */
export const telephoneClips = (): Clip[] => clips(/^harvard-8k\.wav$/);
/** Every recording there is. */
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

/** The sound of a media file, mono, in −1..1. */
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

/** The clips one after the other, again and again, until `minSec` are reached; 16 kHz. */
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
