// What a person measured: errors of models on clips with known text, and votes on voices, in one file of the data
// folder. The newest ones are kept.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../contract/errors.ts";
import {
  type MeasuredErrorRate,
  type Measurement,
  measurement,
  type NewVote,
  type VotedVoice,
  type VoiceTally,
  voiceTally,
} from "../contract/measurements.ts";
import type { Log } from "../log.ts";
import { renameSync, writeFileSync } from "../storage/disk.ts";

export type ClipMeasurements = {
  /** The newest first. */
  list(): readonly Measurement[];
  /** Replaces an earlier one of the same model and clip. @throws the system's error */
  add(measured: Omit<Measurement, "id">): Measurement;
  /** @throws AppError if there is none */
  remove(id: string): void;
  /** The most successful voice first. */
  tallies(): readonly VoiceTally[];
  /** @throws the system's error */
  vote(vote: NewVote): void;
  /** Language → errors on all clips of the language. */
  errorRatesOf(model: string): Record<string, MeasuredErrorRate>;
};

const stored = z.object({ measurements: z.array(measurement), tallies: z.array(voiceTally) });
type Stored = z.infer<typeof stored>;

const maxMeasurements = 2000;

export function createClipMeasurements({
  dataDir,
  onChange,
  log,
}: {
  dataDir: string;
  onChange(): void;
  log: Log;
}): ClipMeasurements {
  const path = join(dataDir, "measurements.json");
  let content = read();

  function read(): Stored {
    try {
      return stored.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        log.warn({ err: error }, "measurements of models cannot be read");
      return { measurements: [], tallies: [] };
    }
  }

  function write(changed: Stored): void {
    writeFileSync(`${path}.new`, JSON.stringify(changed), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    content = changed;
    onChange();
  }

  return {
    list: () => content.measurements,
    add(measured) {
      const added = { id: randomUUID(), ...measured };
      const others = content.measurements.filter(
        ({ model, clip, language }) =>
          model !== added.model || clip !== added.clip || language !== added.language,
      );
      write({ ...content, measurements: [added, ...others].slice(0, maxMeasurements) });
      return added;
    },
    remove(id) {
      const left = content.measurements.filter((each) => each.id !== id);
      if (left.length === content.measurements.length) throw new AppError("model.noMeasurement");
      write({ ...content, measurements: left });
    },
    tallies: () => content.tallies,
    vote({ first, second, isTie }) {
      const counted = count(
        count(content.tallies, first, isTie ? "tied" : "won"),
        second,
        isTie ? "tied" : "lost",
      );
      write({ ...content, tallies: counted.sort((one, other) => shareOf(other) - shareOf(one)) });
    },
    errorRatesOf(model) {
      const ofModel = content.measurements.filter((each) => each.model === model);
      return Object.fromEntries(
        Array.from(
          Map.groupBy(ofModel, ({ language }) => language),
          ([language, clips]) => [language, totalRate(clips)],
        ),
      );
    },
  };
}

function count(
  tallies: readonly VoiceTally[],
  { model, voice }: VotedVoice,
  result: "won" | "lost" | "tied",
): VoiceTally[] {
  const isSame = (tally: VotedVoice): boolean => tally.model === model && tally.voice === voice;
  const before = tallies.find(isSame) ?? { model, voice, won: 0, lost: 0, tied: 0 };
  return [
    ...tallies.filter((tally) => !isSame(tally)),
    { ...before, [result]: before[result] + 1 },
  ];
}

/** A tie is half a win. */
const shareOf = ({ won, lost, tied }: VoiceTally): number => (won + tied / 2) / (won + lost + tied);

/** Of clips in one language. Rates of words and of characters do not add up: the newest clip decides. */
function totalRate(clips: readonly Measurement[]): MeasuredErrorRate {
  const unit = clips[0]?.unit ?? "words";
  const alike = clips.filter((clip) => clip.unit === unit);
  const sum = (valueOf: (clip: Measurement) => number): number =>
    alike.reduce((total, clip) => total + valueOf(clip), 0);
  return {
    rate:
      sum(({ substituted, deleted, inserted }) => substituted + deleted + inserted) /
      Math.max(
        1,
        sum(({ length }) => length),
      ),
    unit,
    clips: alike.length,
  };
}
