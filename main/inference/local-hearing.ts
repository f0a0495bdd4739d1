// Hears a file with the built-in engines: one child listens (decodes, detects voice, cuts at pauses), all of them
// hear the pieces, and the segments come out in order while the rest is still being worked on.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import { gapBefore, languageName, listLanguages } from "../contract/languages.ts";
import {
  mediaPathOf,
  type FailedStretch,
  type ModelBundle,
  type TranscriptSegment,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import type { PieceSpan } from "../audio/dsp/segments.ts";
import type { PinnedChild, Pool, PoolJob } from "../engines/pool/pool.ts";
import { mkdtemp } from "../storage/disk.ts";
import { createRestarts } from "../engines/pool/retry-on-child-loss.ts";
import { createOrderedWork, type OrderedWork } from "./ordered-queue.ts";
import type { HearingHelper } from "./hearing-helper.ts";
import { maxPiecesTogether } from "./piece-groups.ts";
import {
  createPieceHearing,
  type Heard,
  type HearingModels,
  type PieceHearing,
} from "./piece-hearing.ts";
import { createSharedHearing, type SharedHearing } from "./shared-hearing.ts";

export type Hearing = HearingModels & {
  pool: Pool;
  voiceActivity: ModelBundle;
  tempDir: () => string;
  /** Who may hear parts of a long file. */
  helpers: readonly HearingHelper[];
};

/** The first window is short, so that the first words come soon, except where all is heard in one go; later ones are long, which is cheaper. */
const firstWindowSec = 6;
const lastWindowSec = 120;
/** The most of a silence that is told of. */
const maxQuietSec = 5;
/** So much was listened to since the first speech: what was said by then must do to tell the language. */
const settlingSec = 30;

/** @throws AppError where the file or the language cannot be heard */
export async function* hearFile(
  hearing: Hearing,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  checkLanguage(hearing, job);
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const poolJob = hearing.pool.job(ending);
  const folder = await mkdtemp(join(hearing.tempDir(), "hear-"));
  const file: ListenedFile = { folder, durationSec: undefined, heardSec: 0 };
  const { pool, helpers, languages } = hearing;
  const width = helpers.reduce((sum, helper) => sum + helper.width, pool.size);
  const work = createOrderedWork<Heard>(4 * maxPiecesTogether * width);
  const pieces = createPieceHearing(hearing, job, poolJob, pool.size);
  const known = (): string | undefined =>
    job.language ?? pieces.language() ?? (languages.length === 1 ? languages[0] : undefined);
  const shared = createSharedHearing({
    pieces,
    poolSize: pool.size,
    helpers,
    job,
    file,
    folder,
    language: known,
    signal: ending,
  });
  const listening = listen(hearing, job, poolJob, file, pieces, shared, work)
    .finally(() => {
      pieces.end();
      shared.expectMore(false);
    })
    .then(work.end, work.fail);
  const segments: TranscriptSegment[] = [];
  const failed: FailedStretch[] = [];
  let heardSec = 0;
  try {
    for await (const { untilSec, segments: found, failed: stretch } of work.values()) {
      for (const segment of found) {
        segments.push(segment);
        yield { type: "segment", segment };
      }
      if (stretch !== undefined) {
        failed.push(stretch);
        yield { type: "failed", stretch };
      }
      heardSec = Math.max(heardSec, untilSec);
      yield { type: "progress", heardSec, durationSec: file.durationSec };
    }
    // Translations are English, whatever was spoken.
    const text = segments
      .map(
        (segment) => gapBefore(job.task === "translate" ? "en" : segment.language) + segment.text,
      )
      .join("")
      .trim();
    const language = languageName(
      job.language ?? mostSpoken(segments) ?? pieces.language() ?? "en",
    );
    const served = shared.served();
    yield {
      type: "done",
      transcript: {
        language,
        durationSec: file.heardSec,
        text,
        segments,
        failed,
        ...(served.length === 0 ? {} : { helpers: served }),
      },
    };
  } finally {
    stop.abort();
    await listening;
    await shared.ended();
    // A task that was taken back may be writing its last file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function checkLanguage({ languages }: Hearing, { language, task }: TranscriptionJob): void {
  if (language === undefined || languages.includes(language)) return;
  const wanted = `'${languageName(language)}'`;
  const lacking =
    task === "translate"
      ? `this model does not translate ${wanted} into English`
      : `this model does not hear ${wanted}`;
  throw new AppError(
    "unsupported_language",
    `Language not supported: ${lacking}. It knows ${listLanguages(languages)}.`,
    { param: "language" },
  );
}

/** The language with most speech; undefined where nothing was said, or nobody told the language of it. */
function mostSpoken(segments: readonly TranscriptSegment[]): string | undefined {
  const spokenSec = new Map<string, number>();
  for (const { language, startSec, endSec } of segments)
    if (language !== "")
      spokenSec.set(language, (spokenSec.get(language) ?? 0) + endSec - startSec);
  return [...spokenSec].reduce<[string, number] | undefined>(
    (most, one) => (most === undefined || one[1] > most[1] ? one : most),
    undefined,
  )?.[0];
}

/** A file being listened to. */
type ListenedFile = { readonly folder: string; durationSec: number | undefined; heardSec: number };

/** Listens to the file and adds the hearing of its pieces to `work`. A lost child is replaced. */
async function listen(
  hearing: Hearing,
  job: TranscriptionJob,
  poolJob: PoolJob,
  file: ListenedFile,
  pieces: PieceHearing,
  shared: SharedHearing,
  work: OrderedWork<Heard>,
): Promise<void> {
  let given = 0;
  let speechSec: number | undefined;
  const restart = createRestarts(
    () =>
      new AppError(
        "undecodable_audio",
        "The audio file could not be decoded or its format is not supported.",
        { param: "file" },
      ),
  );
  for (let attempt = 1; ; attempt += 1) {
    const pinned = poolJob.pin();
    // Pieces of an earlier attempt may still be read from its own file.
    const pcmPath = join(file.folder, `attempt-${attempt}.pcm`);
    try {
      let found = 0;
      for await (const listened of listenedPieces(
        hearing,
        job,
        pinned,
        pcmPath,
        file,
        pieces.wholeSec(),
      )) {
        // A later attempt finds the same pieces again: those already given are passed over.
        const fresh = listened.slice(Math.max(0, given - found));
        found += listened.length;
        given = Math.max(given, found);
        speechSec ??= fresh[0]?.startSec;
        const answers = await shared.hear(pcmPath, fresh);
        // Silence is progress too.
        for (const heard of answers.length > 0
          ? answers
          : [Promise.resolve({ untilSec: file.heardSec, segments: [] })]) {
          const added = work.add(heard);
          // Who would wait for what is heard must not be waited for to tell the language.
          if (
            speechSec !== undefined &&
            (work.isFull() || file.heardSec - speechSec >= settlingSec)
          )
            pieces.end();
          shared.expectMore(!work.isFull());
          await added;
        }
        shared.expectMore(true);
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
async function* listenedPieces(
  hearing: Hearing,
  job: TranscriptionJob,
  pinned: PinnedChild,
  pcmPath: string,
  file: ListenedFile,
  wholeSec: number,
): AsyncGenerator<PieceSpan[], void, undefined> {
  const { session } = pinned;
  const { durationSec } = await pinned.run("listen.open", {
    session,
    voiceActivity: hearing.voiceActivity,
    mediaPath: await mediaPathOf(job),
    pcmPath,
  });
  file.durationSec = durationSec;
  const isShort = durationSec !== undefined && durationSec <= wholeSec;
  let quietFromSec = 0;
  for (
    let windowSec = isShort ? wholeSec : firstWindowSec, ended = false;
    !ended;
    windowSec = Math.min(windowSec * 2, lastWindowSec)
  ) {
    const step = await pinned.run("listen.step", { session, windowSec });
    ({ ended } = step);
    file.heardSec = step.heardSec;
    yield withQuiet(step.pieces, quietFromSec, ended ? step.heardSec : undefined);
    quietFromSec = step.pieces.at(-1)?.toSec ?? quietFromSec;
  }
}

/** Tells how far the silence around each piece goes: before it to the piece before, and to the end of the file behind the last. */
function withQuiet(
  pieces: readonly PieceSpan[],
  afterSec: number,
  untilSec: number | undefined,
): PieceSpan[] {
  return pieces.map((piece, index) => {
    const quietFromSec = Math.max(
      pieces[index - 1]?.toSec ?? afterSec,
      piece.startSec - maxQuietSec,
    );
    const isLast = index === pieces.length - 1 && untilSec !== undefined;
    return {
      ...piece,
      quietFromSec,
      ...(isLast ? { quietToSec: Math.min(untilSec, piece.endSec + maxQuietSec) } : {}),
    };
  });
}
