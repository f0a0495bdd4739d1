// Who plays whom in a narration, with passages and time. Pure.

import type { NarrationSentence, Role } from "../../../../main/contract/narration.ts";
import { computeTimeline } from "../playing/timeline.ts";

export type CastRow = {
  readonly name: string;
  readonly voice: string;
  /** Omitted if the script names a voice itself. */
  readonly role?: Role;
  /** Passages without another speaker between them. */
  readonly lineCount: number;
  readonly durationSec: number;
  /** Voices that took over where `voice` does not know the language. */
  readonly takenOverBy: readonly string[];
};

/** The narrator first, then by time. */
export function listCast(
  sentences: readonly NarrationSentence[],
  {
    cast,
    narrator,
    voice,
    speed,
  }: { cast: readonly Role[]; narrator: string; voice: string; speed: number },
): readonly CastRow[] {
  const rows = new Map<string, { -readonly [Key in keyof CastRow]: CastRow[Key] }>();
  const empty = { lineCount: 0, durationSec: 0, takenOverBy: [] };
  rows.set(narrator, { name: narrator, voice, ...empty });
  for (const role of cast)
    rows.set(role.name, { name: role.name, voice: role.voice ?? voice, role, ...empty });
  const { durationsSec } = computeTimeline(sentences, speed);
  let last: string | undefined;
  for (const [index, sentence] of sentences.entries()) {
    const name = sentence.speaker ?? narrator;
    const row = rows.get(name) ?? { name, voice: sentence.voice, ...empty };
    rows.set(name, row);
    row.durationSec += durationsSec[index] ?? 0;
    const { spokenBy } = sentence;
    if (spokenBy !== undefined && !row.takenOverBy.includes(spokenBy))
      row.takenOverBy = [...row.takenOverBy, spokenBy];
    if (name !== last) row.lineCount += 1;
    last = name;
  }
  const [first, ...others] = rows.values();
  return [
    ...(first === undefined ? [] : [first]),
    ...others.toSorted((one, other) => other.durationSec - one.durationSec),
  ];
}

/** The cast with a change of one role, which is added if it is new; undefined values are removed. */
export function withRole(
  cast: readonly Role[],
  name: string,
  change: Partial<Role>,
): readonly Role[] {
  const old = cast.find((role) => role.name === name);
  const role = { ...(old ?? { name }), ...change };
  return old === undefined ? [...cast, role] : cast.map((each) => (each === old ? role : each));
}
