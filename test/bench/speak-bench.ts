// Speaking: how much faster than the voice itself a long text is made, and how soon a short one begins.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSamples } from "../support/recordings.ts";
import { fourThousandCharacters, tenSentences } from "../support/english-texts.ts";
import type { Results, Row } from "../support/report.ts";
import { fastest, inTurns, median } from "./rounds.ts";
import type { Answer, ServedApp } from "./served-app.ts";

const area = "speak";
const longRounds = 5;
const shortRounds = 11;
const formats = ["mp3", "wav"] as const;

export async function benchSpeaking(app: ServedApp, scratchDir: string): Promise<Results> {
  const say = (input: string, format: string): Promise<Answer> =>
    app.post(
      "/audio/speech",
      "application/json",
      Buffer.from(
        JSON.stringify({ model: "tts-1", voice: "nova", input, response_format: format }),
      ),
    );
  /** The length of what arrived, decoded: a file that breaks off does not count as fast. */
  const durationSec = async (format: string): Promise<number> => {
    const path = join(scratchDir, `long.${format}`);
    writeFileSync(path, (await say(fourThousandCharacters, format)).body);
    return readSamples(path, 24_000).length / 24_000;
  };
  const durations = { mp3: await durationSec("mp3"), wav: await durationSec("wav") };
  const longMs = await inTurns(longRounds, {
    mp3: async () => (await say(fourThousandCharacters, "mp3")).lastByteMs,
    wav: async () => (await say(fourThousandCharacters, "wav")).lastByteMs,
  });
  const shares: Record<(typeof formats)[number], number[]> = { mp3: [], wav: [] };
  const shortMs = await inTurns(shortRounds, {
    mp3: async () => keepShare("mp3", await say(tenSentences, "mp3")),
    wav: async () => keepShare("wav", await say(tenSentences, "wav")),
  });
  function keepShare(
    format: (typeof formats)[number],
    { firstByteMs, lastByteMs }: Answer,
  ): number {
    shares[format].push((100 * firstByteMs) / lastByteMs);
    return lastByteMs;
  }
  const rows = formats.flatMap((format): Row[] => {
    const ms = fastest(longMs[format]);
    const lastMs = median(shortMs[format]);
    const share = median(shares[format]);
    return [
      {
        area,
        what: `4,000 characters as ${format}, of real time`,
        value: (1000 * durations[format]) / ms,
        unit: "×",
        goal: { min: 60 },
        note: `${durations[format].toFixed(0)} s of speech in ${(ms / 1000).toFixed(2)} s`,
      },
      {
        area,
        what: `first byte of ten sentences as ${format}, of the last one's time`,
        value: share,
        unit: "%",
        goal: { max: 15 },
        note: `${((share * lastMs) / 100).toFixed(0)} of ${lastMs.toFixed(0)} ms`,
      },
    ];
  });
  return {
    rows,
    raw: { speaking: { durationsSec: durations, longMs, shortMs, firstBytePercent: shares } },
  };
}
