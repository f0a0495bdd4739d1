// Whether people are known again: their voices are remembered from some conversations and looked for in others, made of
// other utterances. The threshold was chosen on the first half of the voices.

import type { KnownVoice, Speakers } from "../../main/contract/speakers.ts";
import { nameSpeakers } from "../../main/transcript/speaker-names.ts";
import type { Row } from "../support/report.ts";
import { buildConversation, type Conversation, type Voices } from "./conversations.ts";

type FindSpeakers = (conversation: Conversation) => Promise<Speakers>;
type Counts = { known: number; wrong: number; unknown: number };

const builds = [
  { speakers: 3 },
  { speakers: 4 },
  { speakers: 5 },
  { speakers: 3, noiseDb: 15 },
] as const;

/** Speakers with less, or of several people, say nothing about names. */
const minSec = 2;
const minShare = 0.7;

export async function evaluatePeople(
  voices: Voices,
  area: string,
  findSpeakers: FindSpeakers,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const parity of [0, 1]) {
    const half = [...voices].filter((_, index) => index % 2 === parity);
    const voicesOfPart = async (part: number) => {
      const own: Voices = new Map(
        half.map(([name, utterances]) => [
          name,
          utterances.filter((_, i) => i < utterances.length / 2 === (part === 0)),
        ]),
      );
      const found: KnownVoice[] = [];
      for (const [index, options] of builds.entries()) {
        const seed = 1000 + 500 * parity + 100 * part + index;
        const conversation = buildConversation(own, { ...options, seed });
        found.push(...voicesIn(conversation, await findSpeakers(conversation)));
      }
      return found;
    };
    const what = parity === 0 ? "the voices of the choice" : "other voices";
    rows.push(...rowsOf(area, what, count(await voicesOfPart(0), await voicesOfPart(1))));
  }
  return rows;
}

/** With the names that are true. */
function voicesIn({ truth }: Conversation, { turns, prints }: Speakers): KnownVoice[] {
  return prints.flatMap((print, speaker) => {
    const own = turns.filter((turn) => turn.speaker === speaker);
    const sec = own.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
    const secByName = new Map<string, number>();
    for (const span of truth)
      for (const { fromSec, toSec } of own) {
        const name = String(span.speaker);
        const overlapSec = Math.min(toSec, span.toSec) - Math.max(fromSec, span.fromSec);
        if (overlapSec > 0) secByName.set(name, (secByName.get(name) ?? 0) + overlapSec);
      }
    const [[name, longestSec] = ["", 0]] = [...secByName].sort(([, one], [, other]) => other - one);
    return sec < minSec || longestSec < minShare * sec || Math.hypot(...print) === 0
      ? []
      : [{ name, print }];
  });
}

/** Each remembered voice against each one that is looked for, as if only that one were remembered. */
function count(remembered: readonly KnownVoice[], lookedFor: readonly KnownVoice[]): Counts {
  const counts = { known: 0, wrong: 0, unknown: 0 };
  for (const voice of remembered)
    for (const { name, print } of lookedFor) {
      const isNamed = nameSpeakers([print], [voice])[0]?.confidence !== undefined;
      if (isNamed) counts[voice.name === name ? "known" : "wrong"] += 1;
      else if (voice.name === name) counts.unknown += 1;
    }
  return counts;
}

const rowsOf = (area: string, what: string, { known, wrong, unknown }: Counts): Row[] => [
  {
    area,
    what: `people known again, ${what}`,
    value: (100 * known) / (known + unknown),
    unit: "%",
    goal: { min: 95 },
    note: `${known} of ${known + unknown} pairs`,
  },
  {
    area,
    what: `people taken for others, ${what}`,
    value: wrong,
    unit: "",
    goal: { max: 0 },
  },
];
