// Hears a file with the built-in engines: one child listens (decodes, detects voice, cuts at pauses), all of them
// hear the pieces, and the segments come out in order while the rest is still being worked on.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { languageName } from '../contract/languages.ts';
import type { FailedStretch, ModelBundle, TranscriptSegment, TranscriptionEvent, TranscriptionJob } from '../contract/speech.ts';
import type { PieceSpan } from '../audio/segments.ts';
import type { PinnedChild, Pool, PoolJob } from '../engines/pool/pool.ts';
import { createRestarts } from './begin-again.ts';
import { createOrderedWork, type OrderedWork } from './ordered.ts';

export type Hearing = {
  pool: Pool;
  bundle: ModelBundle;
  languages: readonly string[];
  voiceActivity: ModelBundle;
  tempDir: string;
};

/** The first window is short, so that the first words come soon; later ones are long, which is cheaper. */
const firstWindowSec = 6;
const lastWindowSec = 60;
/** Pieces decoded together; more do not get faster. */
const mostPiecesTogether = 4;

/** What came of one piece: a segment, where there were words, or the stretch that could not be heard. */
type Heard = { untilSec: number; segment?: TranscriptSegment; failed?: FailedStretch };

/** @throws AppError where the file or the language cannot be heard */
export async function* hearFile(hearing: Hearing, job: TranscriptionJob, signal: AbortSignal): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const language = heardLanguage(hearing, job);
  const stop = new AbortController();
  const poolJob = hearing.pool.job(AbortSignal.any([signal, stop.signal]));
  const folder = await mkdtemp(join(hearing.tempDir, 'hear-'));
  const file: ListenedFile = { folder, durationSec: undefined, heardSec: 0 };
  const work = createOrderedWork<Heard>(4 * mostPiecesTogether * hearing.pool.size);
  const listening = listen(hearing, job, poolJob, file, work).then(work.end, work.fail);
  const segments: TranscriptSegment[] = [];
  const failed: FailedStretch[] = [];
  let heardSec = 0;
  try {
    for await (const { untilSec, segment, failed: stretch } of work.values()) {
      if (segment !== undefined) {
        segments.push(segment);
        yield { type: 'segment', segment };
      }
      if (stretch !== undefined) {
        failed.push(stretch);
        yield { type: 'failed', stretch };
      }
      heardSec = Math.max(heardSec, untilSec);
      yield { type: 'progress', heardSec, durationSec: file.durationSec };
    }
    const text = segments.map((segment) => segment.text).join(' ');
    yield { type: 'done', transcript: { language, durationSec: file.heardSec, text, segments, failed } };
  } finally {
    stop.abort();
    await listening;
    // A task that was taken back may be writing its last file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The language the job will be heard in, as openai/whisper names it. */
function heardLanguage({ languages }: Hearing, { language, task }: TranscriptionJob): string {
  const [only] = languages;
  if (language !== undefined && !languages.includes(language)) {
    const wanted = `'${languageName(language)}'`;
    const known = languages.map(languageName).join(', ');
    const lacking = task === 'translate' ? `no model here translates ${wanted} into English` : `this model does not hear ${wanted}`;
    throw new AppError('unsupported_language', `Language not supported: ${lacking}. It knows: ${known}.`, { param: 'language' });
  }
  return languageName(language ?? only ?? 'en');
}

/** A file being listened to. */
type ListenedFile = { readonly folder: string; durationSec: number | undefined; heardSec: number };

/** Listens to the file and adds the hearing of its pieces to `work`. A lost child is replaced. */
async function listen(hearing: Hearing, job: TranscriptionJob, poolJob: PoolJob, file: ListenedFile, work: OrderedWork<Heard>): Promise<void> {
  let given = 0;
  const restart = createRestarts(() => new AppError('undecodable_audio', 'The audio file could not be decoded or its format is not supported.', { param: 'file' }));
  for (let attempt = 1; ; attempt += 1) {
    const pinned = poolJob.pin();
    // Pieces of an earlier attempt may still be read from its own file.
    const pcmPath = join(file.folder, `attempt-${attempt}.pcm`);
    try {
      let found = 0;
      for await (const pieces of listenedPieces(hearing, job, pinned, pcmPath, file)) {
        // A later attempt finds the same pieces again: those already given are passed over.
        const fresh = pieces.slice(Math.max(0, given - found));
        found += pieces.length;
        given = Math.max(given, found);
        const heard = new Map<PieceSpan, Promise<Heard>>();
        for (const group of groups(fresh, hearing.pool.size)) {
          const together = hear(hearing, job, poolJob, pcmPath, group);
          for (const [place, piece] of group.entries()) heard.set(piece, together.then((all) => all[place] as Heard));
        }
        for (const piece of fresh) await work.add(heard.get(piece) as Promise<Heard>);
        // Silence is progress too.
        if (fresh.length === 0) await work.add(Promise.resolve({ untilSec: file.heardSec }));
      }
      return;
    } catch (error) {
      restart(error);
    } finally {
      pinned.release();
    }
  }
}

/** The pieces of the file, window by window, as a child that stays with it decodes and cuts them. */
async function* listenedPieces(hearing: Hearing, job: TranscriptionJob, pinned: PinnedChild, pcmPath: string, file: ListenedFile): AsyncGenerator<PieceSpan[], void, undefined> {
  const { session } = pinned;
  const { durationSec } = await pinned.run('listen.open', { session, voiceActivity: hearing.voiceActivity, mediaPath: job.mediaPath, pcmPath });
  file.durationSec = durationSec;
  for (let windowSec = firstWindowSec, ended = false; !ended; windowSec = Math.min(windowSec * 2, lastWindowSec)) {
    const step = await pinned.run('listen.step', { session, windowSec });
    ({ ended } = step);
    file.heardSec = step.heardSec;
    yield step.pieces;
  }
}

const lengthSec = ({ fromSec, toSec }: PieceSpan): number => toSec - fromSec;
const earliestSec = (group: readonly PieceSpan[]): number => Math.min(...group.map(({ fromSec }) => fromSec));

/** Spread over the pool first, together in one batch where there are more: pieces of like length, so that none waits for another. */
function groups(pieces: readonly PieceSpan[], poolSize: number): PieceSpan[][] {
  const size = Math.min(mostPiecesTogether, Math.max(1, Math.floor(pieces.length / poolSize)));
  const byLength = pieces.toSorted((one, other) => lengthSec(one) - lengthSec(other));
  const grouped = Array.from({ length: Math.ceil(pieces.length / size) }, (_, group) => byLength.slice(group * size, (group + 1) * size));
  // The group with the earliest piece first.
  return grouped.sort((one, other) => earliestSec(one) - earliestSec(other));
}

/** Hears some pieces: one answer each. What fails twice is tried piece by piece, and named where it fails then. */
async function hear(hearing: Hearing, job: TranscriptionJob, poolJob: PoolJob, pcmPath: string, pieces: PieceSpan[]): Promise<Heard[]> {
  const { task, language, prompt, temperature, wordTimes } = job;
  const options = { task, temperature, wordTimes, ...(language === undefined ? {} : { language }), ...(prompt === undefined ? {} : { prompt }) };
  try {
    const segments = await poolJob.run('hear', { model: hearing.bundle, pcmPath, pieces, options });
    return segments.map((segment, index) => ({ untilSec: (pieces[index] as PieceSpan).endSec, ...(segment.text === '' ? {} : { segment }) }));
  } catch (error) {
    if (!(error instanceof AppError) || error.key !== 'engine_failed') throw error;
    const [piece] = pieces;
    if (pieces.length === 1 && piece !== undefined) {
      const { startSec, endSec } = piece;
      return [{ untilSec: endSec, failed: { startSec, endSec, message: error.message } }];
    }
    return (await Promise.all(pieces.map((one) => hear(hearing, job, poolJob, pcmPath, [one])))).flat();
  }
}
