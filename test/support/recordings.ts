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

const sampleRateHz = 16_000;
const turnPauseSec = 0.4;

/** A clip as a turn of a conversation: 0.4 s between its last word and the next turn; 16 kHz. */
export const readTurn = ({ path }: Clip): Float32Array =>
  joinSamples([
    withoutSilence(readSamples(path, sampleRateHz)),
    new Float32Array(turnPauseSec * sampleRateHz),
  ]);

function withoutSilence(samples: Float32Array): Float32Array {
  const blockSamples = sampleRateHz / 50;
  const levels = Array.from({ length: Math.floor(samples.length / blockSamples) }, (_, block) =>
    Math.hypot(...samples.subarray(block * blockSamples, (block + 1) * blockSamples)),
  );
  const isLoud = (level: number): boolean => level > 0.06 * Math.max(...levels);
  return samples.subarray(
    Math.max(0, levels.findIndex(isLoud) - 10) * blockSamples,
    (levels.findLastIndex(isLoud) + 10) * blockSamples,
  );
}

export type LongRecording = { samples: Float32Array; durationSec: number; text: string };

/**
 * The clips in sequence, repeated until at least `minSec` are reached; 16 kHz.
 * @param read `readTurn` for a conversation
 */
export function longRecording(
  sourceClips: readonly Clip[],
  minSec: number,
  read = ({ path }: Clip): Float32Array => readSamples(path, sampleRateHz),
): LongRecording {
  const decodedClips = sourceClips.map((clip) => ({ samples: read(clip), text: clip.text }));
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
