// A stretch of an item heard anew, by another model or with another prompt, to be compared with what is there.

import type { DocumentSegment, TranscribeOptions } from '../../contract/studio.ts';
import { AppError } from '../../contract/errors.ts';
import { type HearingDeps, hearPart } from './hearing.ts';

/** @throws AppError where it cannot be heard, or only in part */
export async function heardLater(deps: HearingDeps, mediaPath: string, options: TranscribeOptions & { fromSec: number; toSec: number }, signal: AbortSignal): Promise<{ segments: DocumentSegment[]; tookMs: number; channel: string }> {
  const { fromSec, toSec, ...rest } = options;
  const begunMs = performance.now();
  const segments: DocumentSegment[] = [];
  let channel = '';
  for await (const news of hearPart(deps, { mediaPath, options: rest, fromSec, toSec }, signal)) {
    const [failed] = news.failed;
    if (failed !== undefined) throw new AppError('engine_failed', failed.message);
    for (const segment of news.segments) segments.push({ ...segment, id: segments.length });
    channel = news.channels.join(', ');
  }
  return { segments, tookMs: Math.round(performance.now() - begunMs), channel };
}
