// Transcribes a file or a range of it with any model. Local engines read the file directly. Providers accept neither
// video nor more than 25 MB and charge by the second: they get WAV files that contain only speech.

import { splitAudio, type AudioPart } from "../../engines/pool/audio-splitter.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type { FailedRange, ModelBundle } from "../../contract/speech.ts";
import type { TranscribeOptions } from "../../contract/studio.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { TranscribedSegment } from "../../library/documents.ts";
import {
  meteredTranscribe,
  type MeteredTranscribeDeps,
  toTranscribedSegment,
  toTranscriptionJob,
  type OnChannelSelected,
  toUntimedSegment,
} from "./metered-transcribe.ts";

export type TranscribeRangeDeps = MeteredTranscribeDeps & {
  pool: Pool;
  tempDir: () => string;
  vad: ModelBundle;
};

export type TranscribeRangeRequest = {
  mediaPath: string;
  /** Without its `fromSec` and `toSec`: the start may have moved since. */
  options: TranscribeOptions;
  fromSec: number;
  /** Defaults to the end. */
  toSec?: number | undefined;
  onChannelSelected: OnChannelSelected;
};

/** Results since the last update. Times refer to the whole file; everything before `processedSec` is final. */
export type TranscriptionUpdate = {
  processedSec: number;
  segments: readonly TranscribedSegment[];
  failed: readonly FailedRange[];
  channels: readonly string[];
  language?: string | undefined;
};

/** About 10 MB of WAV, and little is lost if the work is interrupted. */
const upstreamPartSec = 300;
/** Local engines get long files in parts of this length. */
const localPartSec = 3600;

/** @throws AppError if no channel can transcribe it; earlier updates stay valid */
export async function* transcribeRange(
  deps: TranscribeRangeDeps,
  request: TranscribeRangeRequest,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionUpdate, void, undefined> {
  const { mediaPath, options, fromSec, toSec, onChannelSelected } = request;
  const isLocal = deps.router.isLocal(options.model, "speech-to-text");
  if (isLocal && fromSec === 0 && toSec === undefined) {
    yield* transcribeFile(
      deps,
      options,
      { path: mediaPath, fromSec: 0 },
      { isLocal, onChannelSelected },
      signal,
    );
    return;
  }
  const maxSec = isLocal ? localPartSec : upstreamPartSec;
  for await (const part of splitAudio(
    deps.pool,
    deps.tempDir,
    { mediaPath, fromSec, toSec, maxSec, ...(isLocal ? {} : { vad: deps.vad }) },
    signal,
  )) {
    yield* transcribeFile(deps, options, part, { isLocal, onChannelSelected }, signal);
  }
}

type FileOptions = { isLocal: boolean; onChannelSelected: OnChannelSelected };

async function* transcribeFile(
  deps: TranscribeRangeDeps,
  options: TranscribeOptions,
  { path, fromSec, toSec }: Omit<AudioPart, "toSec"> & { toSec?: number },
  { isLocal, onChannelSelected }: FileOptions,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionUpdate, void, undefined> {
  const context = { fromSec, toSec, language: options.translate ? "en" : options.language };
  const emptyUpdate = { segments: [], failed: [], channels: [] };
  // Local engines stream segments while they transcribe.
  const job = { ...toTranscriptionJob(options, path), onChannelSelected, stream: isLocal };
  let processedSec = fromSec;
  let hasSegments = false;
  for await (const { event, channels } of meteredTranscribe(deps, job, signal)) {
    if (event.type === "progress") {
      processedSec = Math.max(processedSec, fromSec + event.processedSec);
      yield { ...emptyUpdate, processedSec, channels };
    } else if (event.type === "segment") {
      hasSegments = true;
      const segment = toTranscribedSegment(event.segment, context);
      if (segment.text !== "")
        yield { ...emptyUpdate, processedSec, segments: [segment], channels };
    } else if (event.type === "failed") {
      const { startSec, endSec, ...why } = event.range;
      yield {
        ...emptyUpdate,
        processedSec,
        failed: [{ startSec: startSec + fromSec, endSec: endSec + fromSec, ...why }],
        channels,
      };
    } else if (event.type === "done") {
      const { text, durationSec } = event.transcript;
      const language = parseLanguage(event.transcript.language) ?? context.language;
      const partEndSec = toSec ?? fromSec + durationSec;
      const untimedSegments =
        hasSegments || text.trim() === ""
          ? []
          : [toUntimedSegment(text, fromSec, partEndSec, language)];
      yield {
        ...emptyUpdate,
        processedSec: partEndSec,
        segments: untimedSegments,
        channels,
        language,
      };
    }
  }
}
