// How well speakers are told apart: diarization error rates over recorded and built conversations (NIST's, collar
// 0.25 s, overlaps counted), and whether their number is right. The one threshold is also chosen without the
// conversation that is reported, and on voices that are not in it.

import { join } from "node:path";
import type { DiarizedWindow } from "../../main/engines/diarization/diarizer.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { writePcmFile } from "../../main/audio/codec/pcm-file.ts";
import type { SpeakerTurn } from "../../main/contract/speakers.ts";
import {
  type DiarizationPolicy,
  joinSpeakers,
} from "../../main/engines/diarization/speaker-turns.ts";
import { windowCount } from "../../main/engines/diarization/windows.ts";
import { createPool, engineModules, type Pool } from "../../main/engines/pool/pool.ts";
import { sttSampleRateHz } from "../../main/engines/engine.ts";
import { createLog } from "../../main/log.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import {
  type DiarizationErrors,
  diarizationErrors,
  type SpeakerSpan,
} from "../support/diarization-error.ts";
import { hasSharedAudio, sharedAudioDir } from "../support/recordings.ts";
import { logProgress, type Results, type Row, skipped } from "../support/report.ts";
import {
  buildConversation,
  type BuildOptions,
  type Conversation,
  meetings,
  singleVoices,
  talks,
} from "./conversations.ts";
import type { InProcessApp } from "./in-process-app.ts";
import { evaluatePeople } from "./people-eval.ts";

const area = "speakers";
/** Tried for the choice of a threshold. */
const thresholds = [0.26, 0.28, 0.3, 0.32, 0.34, 0.36, 0.38, 0.4, 0.42];

const builds: readonly Omit<BuildOptions, "seed">[] = [
  { speakers: 2 },
  { speakers: 3 },
  { speakers: 4 },
  { speakers: 5 },
  { speakers: 6 },
  { speakers: 2, noiseDb: 15 },
  { speakers: 3, noiseDb: 15 },
  { speakers: 5, noiseDb: 15 },
];

type Score = DiarizationErrors & { isCountRight: boolean };
type ScoredConversation = {
  name: string;
  durationSec: number;
  /** With the app's own threshold. */
  score: Score;
  byThreshold: ReadonlyMap<number, Score>;
};

export async function evaluateSpeakers(_: InProcessApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped(area, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const voices = [...(await singleVoices())];
  const half = (parity: number): Conversation[] =>
    builds.map((options, index) =>
      buildConversation(new Map(voices.filter((__, i) => i % 2 === parity)), {
        ...options,
        seed: 100 * parity + index,
      }),
    );
  const pool = createPool(
    (runtime) => createNodePlatform(scratchDir).launchChild(engineModules[runtime]),
    { size: 2, idleMs: 60_000, supportDir: scratchDir },
    createLog("warn"),
  );
  try {
    const scoreAll = async (
      conversations: readonly Conversation[],
    ): Promise<ScoredConversation[]> => {
      const scored: ScoredConversation[] = [];
      for (const conversation of conversations) {
        logProgress(`telling speakers apart in ${conversation.name}`);
        scored.push(
          await scoreConversation(pool, conversation, join(scratchDir, "conversation.pcm")),
        );
      }
      return scored;
    };
    const [recorded, one, other, met] = [
      await scoreAll(talks()),
      await scoreAll(half(0)),
      await scoreAll(half(1)),
      await scoreAll(meetings()),
    ];
    const all = [...recorded, ...one, ...other];
    logProgress("recognizing known voices");
    const people = await evaluatePeople(new Map(voices), area, async (conversation) => {
      const pcmPath = join(scratchDir, "conversation.pcm");
      const { windows, durationSec } = await diarize(pool, conversation, pcmPath);
      return joinSpeakers(windows, durationSec);
    });
    return {
      rows: [
        ...rowsOf(
          "built conversations",
          all.map(({ score }) => score),
        ),
        ...rowsOf("built, threshold from the others", leaveOneOut(all)),
        ...rowsOf("built, threshold from other voices", [
          ...scoresAt(bestFor(other), one),
          ...scoresAt(bestFor(one), other),
        ]),
        errorRow(
          "meetings",
          met.map(({ score }) => score),
          24,
        ),
        errorRow("meetings, threshold from the others", leaveOneOut(met), 24),
        ...people,
      ],
      raw: {
        speakers: [...all, ...met].map(({ name, durationSec, score }) => ({
          name,
          durationSec,
          ...score,
        })),
      },
    };
  } finally {
    await pool.close();
  }
}

async function scoreConversation(
  pool: Pool,
  conversation: Conversation,
  pcmPath: string,
): Promise<ScoredConversation> {
  const { name, truth } = conversation;
  const { windows, durationSec } = await diarize(pool, conversation, pcmPath);
  const score = (policy?: DiarizationPolicy): Score =>
    scoreOf(truth, joinSpeakers(windows, durationSec, {}, policy).turns);
  return {
    name,
    durationSec,
    score: score(),
    byThreshold: new Map(
      thresholds.map((minSimilarity) => [minSimilarity, score({ minSimilarity })]),
    ),
  };
}

async function diarize(
  pool: Pool,
  { samples }: Conversation,
  pcmPath: string,
): Promise<{ windows: DiarizedWindow[]; durationSec: number }> {
  await writePcmFile(pcmPath, samples);
  const durationSec = samples.length / sttSampleRateHz;
  const job = pool.job(new AbortController().signal);
  const count = windowCount(durationSec);
  const middle = Math.ceil(count / pool.size);
  const parts = await Promise.all(
    [
      [0, middle],
      [middle, count],
    ].map(([firstWindow = 0, endWindow = count]) =>
      job.run("diarize", {
        model: shippedModel("pyannote-community-1"),
        pcmPath,
        firstWindow,
        endWindow,
        durationSec,
      }),
    ),
  );
  return { windows: parts.flat(), durationSec };
}

const scoreOf = (truth: readonly SpeakerSpan[], turns: readonly SpeakerTurn[]): Score => ({
  ...diarizationErrors(truth, turns),
  isCountRight: countSpeakers(truth) === countSpeakers(turns),
});

const countSpeakers = (spans: readonly { speaker: string | number }[]): number =>
  new Set(spans.map(({ speaker }) => speaker)).size;

const leaveOneOut = (conversations: readonly ScoredConversation[]): Score[] =>
  conversations.flatMap((scored) =>
    scoresAt(bestFor(conversations.filter((other) => other !== scored)), [scored]),
  );

const scoresAt = (threshold: number, conversations: readonly ScoredConversation[]): Score[] =>
  conversations.flatMap(({ byThreshold }) => byThreshold.get(threshold) ?? []);

/** In the middle of those that give the lowest error. */
function bestFor(conversations: readonly ScoredConversation[]): number {
  const rates = thresholds.map((threshold) => errorRate(scoresAt(threshold, conversations)));
  const lowest = Math.min(...rates);
  const best = thresholds.filter((__, i) => (rates[i] ?? Infinity) < lowest + 0.05);
  return best[Math.floor(best.length / 2)] ?? 0;
}

const percentOf = (scores: readonly Score[], errorSec: (score: Score) => number): number =>
  (100 * scores.reduce((sum, score) => sum + errorSec(score), 0)) /
  scores.reduce((sum, { speechSec }) => sum + speechSec, 0);

const errorRate = (scores: readonly Score[]): number =>
  percentOf(
    scores,
    ({ missedSec, falseAlarmSec, confusedSec }) => missedSec + falseAlarmSec + confusedSec,
  );

function errorRow(what: string, scores: readonly Score[], max: number): Row {
  const parts = [
    `missed ${percentOf(scores, ({ missedSec }) => missedSec).toFixed(1)}`,
    `false alarms ${percentOf(scores, ({ falseAlarmSec }) => falseAlarmSec).toFixed(1)}`,
    `confused ${percentOf(scores, ({ confusedSec }) => confusedSec).toFixed(1)}`,
  ];
  return {
    area,
    what: `diarization error, ${what}`,
    value: errorRate(scores),
    unit: "%",
    goal: { max },
    note: `${parts.join(", ")} %; ${scores.length} recordings`,
  };
}

const rowsOf = (what: string, scores: readonly Score[]): Row[] => [
  errorRow(what, scores, 4.5),
  {
    area,
    what: `confusion, ${what}`,
    value: percentOf(scores, ({ confusedSec }) => confusedSec),
    unit: "%",
    goal: { max: 1.5 },
  },
  {
    area,
    what: `wrong number of speakers, ${what}`,
    value: scores.filter(({ isCountRight }) => !isCountRight).length,
    unit: "",
    goal: { max: 1 },
    note: `of ${scores.length}`,
  },
];
