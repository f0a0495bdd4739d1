// Diarization error rate, as NIST's md-eval counts it: missed speech, false alarms and confused speakers over the
// speech of the reference, overlaps counted, without what lies within a collar of the reference's borders.

export type SpeakerSpan = { fromSec: number; toSec: number; speaker: string | number };

/** Seconds of speech; the rate is their sum over `speechSec`. */
export type DiarizationErrors = {
  missedSec: number;
  falseAlarmSec: number;
  confusedSec: number;
  speechSec: number;
};

const stepSec = 0.01;

export function diarizationErrors(
  reference: readonly SpeakerSpan[],
  found: readonly SpeakerSpan[],
  collarSec = 0.25,
): DiarizationErrors {
  const steps = Math.ceil(Math.max(0, ...[...reference, ...found].map((s) => s.toSec)) / stepSec);
  const isScored = new Uint8Array(steps).fill(1);
  for (const { fromSec, toSec } of reference)
    for (const border of [fromSec, toSec])
      isScored.fill(0, Math.max(0, toStep(border - collarSec)), toStep(border + collarSec));
  const references = tracks(reference, steps);
  const guesses = tracks(found, steps);
  const shared = references.map((one) =>
    guesses.map((other) => one.reduce((sum, v, i) => sum + (v & other[i]! & isScored[i]!), 0)),
  );
  const errors = { missedSec: 0, falseAlarmSec: 0, confusedSec: 0, speechSec: 0 };
  let confusable = 0;
  for (let i = 0; i < steps; i++) {
    if (isScored[i] === 0) continue;
    const said = references.reduce((sum, track) => sum + track[i]!, 0);
    const guessed = guesses.reduce((sum, track) => sum + track[i]!, 0);
    errors.speechSec += said * stepSec;
    errors.missedSec += Math.max(0, said - guessed) * stepSec;
    errors.falseAlarmSec += Math.max(0, guessed - said) * stepSec;
    confusable += Math.min(said, guessed);
  }
  errors.confusedSec = (confusable - bestMapping(shared)) * stepSec;
  return errors;
}

const toStep = (sec: number): number => Math.round(sec / stepSec);

/** One row a speaker: 1 where they talk. */
function tracks(spans: readonly SpeakerSpan[], steps: number): Uint8Array[] {
  const bySpeaker = Map.groupBy(spans, ({ speaker }) => speaker);
  return Array.from(bySpeaker.values(), (own) => {
    const track = new Uint8Array(steps);
    for (const { fromSec, toSec } of own) track.fill(1, toStep(fromSec), toStep(toSec));
    return track;
  });
}

/** The largest sum with each row and each column taken once at most. For up to about 15 rows. */
function bestMapping(shared: readonly (readonly number[])[]): number {
  let best = new Map([[0, 0]]);
  for (let column = 0; column < (shared[0]?.length ?? 0); column++) {
    const next = new Map(best);
    for (const [taken, sum] of best) {
      for (const [row, values] of shared.entries()) {
        const bit = 1 << row;
        const value = values[column]!;
        if ((taken & bit) !== 0 || value === 0) continue;
        next.set(taken | bit, Math.max(next.get(taken | bit) ?? 0, sum + value));
      }
    }
    best = next;
  }
  return Math.max(...best.values());
}
