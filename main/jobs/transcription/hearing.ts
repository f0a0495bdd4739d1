// Hears a file, or a part of it, by whichever model is wanted. This machine hears files as they are; other providers
// take neither videos nor more than 25 MB, and are paid by the second: they get WAV files of what is spoken.

import { cutStretches, type Stretch } from "../../engines/pool/media-ranges.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type { FailedStretch, ModelBundle } from "../../contract/speech.ts";
import type { TranscribeOptions } from "../../contract/studio.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { HeardSegment } from "../../library/documents.ts";
import { ask, type Asking, heardSegment, jobFor, type OnAsked, textSegment } from "./asking.ts";

export type HearingDeps = Asking & {
  pool: Pool;
  tempDir: () => string;
  voiceActivity: ModelBundle;
};

export type HearingWork = {
  mediaPath: string;
  /** Without its `fromSec` and `toSec`: where to begin may have changed since. */
  options: TranscribeOptions;
  fromSec: number;
  /** Optional; default the end. */
  toSec?: number | undefined;
  onAsked: OnAsked;
};

/** What came since the last one. Times are places in the whole file; everything before `heardSec` is settled. */
export type HeardNews = {
  heardSec: number;
  segments: readonly HeardSegment[];
  failed: readonly FailedStretch[];
  channels: readonly string[];
  language?: string | undefined;
};

/** Ten megabytes of WAV; short enough that little is lost where the work is broken off. */
const elsewhereSec = 300;
/** Parts of long files are heard here in files of this size. */
const hereSec = 3600;

/** @throws AppError where nobody can hear it; what came before holds */
export async function* hearPart(
  deps: HearingDeps,
  work: HearingWork,
  signal: AbortSignal,
): AsyncGenerator<HeardNews, void, undefined> {
  const { mediaPath, options, fromSec, toSec, onAsked } = work;
  const isHere = deps.router.isLocal(options.model, "speech-to-text");
  if (isHere && fromSec === 0 && toSec === undefined) {
    yield* hearFile(deps, options, { path: mediaPath, fromSec: 0 }, { isHere, onAsked }, signal);
    return;
  }
  const maxSec = isHere ? hereSec : elsewhereSec;
  for await (const stretch of cutStretches(
    deps.pool,
    deps.tempDir,
    { mediaPath, fromSec, toSec, maxSec, ...(isHere ? {} : { voiceActivity: deps.voiceActivity }) },
    signal,
  )) {
    yield* hearFile(deps, options, stretch, { isHere, onAsked }, signal);
  }
}

type Manner = { isHere: boolean; onAsked: OnAsked };

async function* hearFile(
  deps: HearingDeps,
  options: TranscribeOptions,
  { path, fromSec, toSec }: Omit<Stretch, "toSec"> & { toSec?: number },
  { isHere, onAsked }: Manner,
  signal: AbortSignal,
): AsyncGenerator<HeardNews, void, undefined> {
  const place = { fromSec, toSec, language: options.translate ? "en" : options.language };
  const news = { segments: [], failed: [], channels: [] };
  // Here segments come while the rest is being heard.
  const job = { ...jobFor(options, path), onAsked, stream: isHere };
  let heardSec = fromSec;
  let hasSegments = false;
  for await (const { event, channels } of ask(deps, job, signal)) {
    if (event.type === "progress") {
      heardSec = Math.max(heardSec, fromSec + event.heardSec);
      yield { ...news, heardSec, channels };
    } else if (event.type === "segment") {
      hasSegments = true;
      const segment = heardSegment(event.segment, place);
      if (segment.text !== "") yield { ...news, heardSec, segments: [segment], channels };
    } else if (event.type === "failed") {
      const { startSec, endSec, message } = event.stretch;
      yield {
        ...news,
        heardSec,
        failed: [{ startSec: startSec + fromSec, endSec: endSec + fromSec, message }],
        channels,
      };
    } else if (event.type === "done") {
      const { text, durationSec } = event.transcript;
      const language = parseLanguage(event.transcript.language) ?? place.language;
      const untilSec = toSec ?? fromSec + durationSec;
      const untimed =
        hasSegments || text.trim() === "" ? [] : [textSegment(text, fromSec, untilSec, language)];
      yield { ...news, heardSec: untilSec, segments: untimed, channels, language };
    }
  }
}
