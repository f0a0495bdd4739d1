// From windows with local speakers to the speakers of a file. Voices (a local speaker of one window) are clustered by
// their prints; each chunk goes to the cluster that it resembles, where that differs clearly from its voice's. A voice
// without a print of its own, such as one that only ever speaks over another, is the one that talks at the same time in
// a neighboring window. Voices that talk at the same time are different people.

import type { SpeakerCount, Speakers, SpeakerTurn } from "../../contract/speakers.ts";
import {
  centerOf,
  clusterPrints,
  findMostSimilar,
  minSpeakerSec,
  similarityOf,
} from "./clustering.ts";
import type { DiarizedWindow, VoicePrint } from "./diarizer.ts";
import {
  frameAt,
  frameStepSec,
  type LocalRun,
  localSpeakers,
  runsOf,
  windowSec,
  windowStartSec,
} from "./windows.ts";

export type DiarizationPolicy = {
  readonly minSimilarity: number;
};

/** In the middle of the range, 0.30 to 0.38, that gives the same number of speakers in all conversations tried. */
const defaultPolicy: DiarizationPolicy = { minSimilarity: 0.34 };
const speakerSize = { minShare: 0.02, minSec: 1, enoughSec: 30 };
/** More voices are thinned before they are clustered: an hour has about a thousand. */
const maxClusteredVoices = 1500;
/** How much better a chunk has to fit another speaker than that of its voice. */
const minAdvantage = 0.1;
/** Voices that talk over each other for this long are two people. */
const minOverlapSec = 1;
/** Pauses up to this length do not end a turn. */
const maxPauseSec = 0.4;

/** Part of the time that two voices of neighboring windows have to share to be one. */
const minAgreement = 0.7;

/** In so many windows, half a minute, somebody who only talks over others is looked for. */
const maxDistance = 6;

/** A local speaker of a window. */
type Voice = {
  readonly window: DiarizedWindow;
  readonly local: number;
  /** Mean of its prints, a unit vector; omitted if it has none. */
  readonly print: Float32Array | undefined;
  /** Seconds that its prints stand for. */
  readonly sec: number;
  speaker: number | undefined;
};

type Printed = Voice & { readonly print: Float32Array };

/** @param windows all of a file, in order */
export function joinSpeakers(
  windows: readonly DiarizedWindow[],
  durationSec: number,
  count: SpeakerCount = {},
  { minSimilarity }: DiarizationPolicy = defaultPolicy,
): Speakers {
  const voices = windows.map((window) => localSpeakers.map((local) => voiceOf(window, local)));
  const printed = voices.flat().filter((voice): voice is Printed => voice.print !== undefined);
  const clustered = thin(printed, maxClusteredVoices);
  const centers = clusterPrints(clustered, { ...speakerSize, minSimilarity }, count).map(
    (cluster) => centerOf(cluster.map((index) => clustered[index] as Printed)),
  );
  for (const voice of printed) voice.speaker = findMostSimilar(voice.print, centers);
  for (const ofWindow of voices) separateOverlapping(ofWindow, centers);
  linkNeighbors(voices);
  linkNeighbors(voices.toReversed());
  const strangers = nameInterrupters(voices);
  if (centers.length === 1 && (count.max ?? Infinity) > 1) nameSecondSpeaker(strangers, printed);
  const turns = joinTurns(
    voices.flatMap((ofWindow, index) =>
      runsOf(windows[index] as DiarizedWindow, durationSec).flatMap((run) =>
        turnsOf(run, ofWindow, centers),
      ),
    ),
  );
  const clusters = [...new Set(turns.map(({ speaker }) => speaker))];
  return {
    turns: turns.map((turn) => ({ ...turn, speaker: clusters.indexOf(turn.speaker) })),
    prints: clusters.map((cluster) => centers[cluster] ?? new Float32Array()),
  };
}

function voiceOf(window: DiarizedWindow, local: number): Voice {
  const prints = window.prints
    .filter(({ speaker }) => speaker === local)
    .map((chunk) => ({ print: chunk.print, sec: chunk.toSec - chunk.fromSec }));
  const center = centerOf(prints);
  const length = Math.hypot(...center);
  return {
    window,
    local,
    print: prints.length === 0 ? undefined : center.map((value) => value / length),
    sec: prints.reduce((sum, { sec }) => sum + sec, 0),
    speaker: undefined,
  };
}

/** Evenly distributed ones. */
const thin = <Value>(values: readonly Value[], maxCount: number): readonly Value[] =>
  values.length <= maxCount
    ? values
    : Array.from(
        { length: maxCount },
        (_, i) => values[Math.floor((i * values.length) / maxCount)] as Value,
      );

/** Of two voices that are the same speaker but talk at the same time, the one with less speech is another speaker. */
function separateOverlapping(ofWindow: readonly Voice[], centers: readonly Float32Array[]): void {
  const bySec = ofWindow.toSorted((one, other) => other.sec - one.sec);
  for (const [rank, voice] of bySec.entries()) {
    const { print, speaker } = voice;
    const isSame = bySec
      .slice(0, rank)
      .some((other) => other.speaker === speaker && overlapSec(voice, other) >= minOverlapSec);
    if (print === undefined || speaker === undefined || !isSame || centers.length < 2) continue;
    voice.speaker = findMostSimilar(print, centers, new Set([speaker]));
  }
}

const overlapSec = (voice: Voice, other: Voice): number =>
  secWithBits(voice.window, (1 << voice.local) | (1 << other.local));

const activeSec = ({ window, local }: Voice): number => secWithBits(window, 1 << local);

const secWithBits = ({ frames }: DiarizedWindow, set: number): number =>
  frames.reduce((sec, bits) => sec + ((bits & set) === set ? frameStepSec : 0), 0);

/**
 * Each voice without a speaker gets that of the voice in the window before that talks when it does, unless it talks
 * over that speaker.
 */
function linkNeighbors(voices: readonly (readonly Voice[])[]): void {
  for (const [index, ofWindow] of voices.entries()) {
    for (const voice of ofWindow) {
      if (voice.speaker !== undefined) continue;
      const linked = (voices[index - 1] ?? []).find((other) => isLinked(voice, other))?.speaker;
      const isOver = ofWindow.some(
        (other) => other.speaker === linked && overlapSec(voice, other) > 0,
      );
      if (!isOver) voice.speaker = linked;
    }
  }
}

/** Whether two voices of neighboring windows talk at the same times, mostly, of those that both windows share. */
function isLinked({ window, local }: Voice, { window: near, local: nearLocal }: Voice): boolean {
  const fromSec = Math.max(windowStartSec(window.index), windowStartSec(near.index));
  const toSec = Math.min(windowStartSec(window.index), windowStartSec(near.index)) + windowSec;
  const first = frameAt(window.index, fromSec);
  const offset = frameAt(near.index, fromSec) - first;
  let both = 0;
  let either = 0;
  for (let frame = first; frame <= frameAt(window.index, toSec); frame++) {
    const talks = ((window.frames[frame] ?? 0) & (1 << local)) !== 0;
    const nearTalks = ((near.frames[frame + offset] ?? 0) & (1 << nearLocal)) !== 0;
    if (talks && nearTalks) both += 1;
    if (talks || nearTalks) either += 1;
  }
  return both > either * minAgreement;
}

/**
 * A voice that talks only over others is somebody else: whoever talks nearest.
 * @returns those near whom nobody else talks
 */
function nameInterrupters(voices: readonly (readonly Voice[])[]): Voice[] {
  const strangers: Voice[] = [];
  for (const [index, ofWindow] of voices.entries()) {
    const present = new Set(ofWindow.map(({ speaker }) => speaker));
    for (const voice of ofWindow) {
      if (voice.speaker !== undefined || !talksOnlyOverOthers(voice)) continue;
      for (let distance = 1; distance <= maxDistance; distance++) {
        const near = [...(voices[index - distance] ?? []), ...(voices[index + distance] ?? [])];
        voice.speaker = near.find(
          ({ speaker }) => speaker !== undefined && !present.has(speaker),
        )?.speaker;
        if (voice.speaker !== undefined) break;
      }
      if (voice.speaker === undefined) strangers.push(voice);
    }
  }
  return strangers;
}

/** Who talks over the only speaker is a second one, unless it is too little for a speaker. */
function nameSecondSpeaker(strangers: readonly Voice[], printed: readonly Printed[]): void {
  const strangerSec = strangers.reduce((sum, voice) => sum + activeSec(voice), 0);
  const speechSec = printed.reduce((sum, { sec }) => sum + sec, 0);
  if (strangerSec >= minSpeakerSec(speakerSize, speechSec))
    for (const voice of strangers) voice.speaker = 1;
}

function talksOnlyOverOthers({ window: { frames }, local }: Voice): boolean {
  const own = frames.filter((bits) => (bits & (1 << local)) !== 0);
  const alone = own.filter((bits) => bits === 1 << local);
  return alone.length < own.length / 2;
}

/** Where the speaker is not known, it is -1. */
function turnsOf(
  { fromSec, toSec, bits }: LocalRun,
  ofWindow: readonly Voice[],
  centers: readonly Float32Array[],
): SpeakerTurn[] {
  const talking = ofWindow.filter(({ local }) => (bits & (1 << local)) !== 0);
  const chunks = talking.length > 1 ? [] : (talking[0]?.window.prints ?? []);
  const own = chunks.filter((chunk) => chunk.fromSec >= fromSec && chunk.toSec <= toSec);
  if (own.length > 0)
    return own.map((chunk) => ({
      fromSec: chunk.fromSec,
      toSec: chunk.toSec,
      speaker: speakerOfChunk(chunk, talking[0]?.speaker ?? 0, centers),
    }));
  return Array.from(speakersAtOnce(talking, centers), (speaker) => ({ fromSec, toSec, speaker }));
}

/** Two voices that talk at the same time are two people, however alike: the one with less speech is another speaker. */
function speakersAtOnce(
  voices: readonly Voice[],
  centers: readonly Float32Array[],
): ReadonlySet<number> {
  const speakers = new Set<number>();
  for (const { speaker = -1, print } of voices.toSorted((one, other) => other.sec - one.sec)) {
    const isAnother = speakers.has(speaker) && speakers.size < centers.length;
    speakers.add(
      isAnother && print !== undefined ? findMostSimilar(print, centers, speakers) : speaker,
    );
  }
  return speakers;
}

function speakerOfChunk(
  { print }: VoicePrint,
  ofVoice: number,
  centers: readonly Float32Array[],
): number {
  const best = findMostSimilar(print, centers);
  const similarity = (speaker: number): number =>
    similarityOf(print, centers[speaker] ?? new Float32Array());
  return similarity(best) - similarity(ofVoice) > minAdvantage ? best : ofVoice;
}

/**
 * Joins turns of one speaker with at most a short pause between them, and gives those of an unknown speaker to whoever
 * talked last. In order of time.
 */
function joinTurns(turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const latest = new Map<number, SpeakerTurn>();
  const joined: SpeakerTurn[] = [];
  const known = turns.find(({ speaker }) => speaker !== -1)?.speaker ?? 0;
  let last = known;
  for (const turn of turns) {
    last = turn.speaker === -1 ? last : turn.speaker;
    const before = latest.get(last);
    if (before !== undefined && turn.fromSec - before.toSec <= maxPauseSec) {
      before.toSec = Math.max(before.toSec, turn.toSec);
      continue;
    }
    const next = { ...turn, speaker: last };
    latest.set(last, next);
    joined.push(next);
  }
  return joined.sort((one, other) => one.fromSec - other.fromSec);
}
