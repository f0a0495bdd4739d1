// Translation into English where every model knows English only: English speech is its own translation, anything
// else is refused. An English model makes up English for other languages, but it is unsure of every word.

import { AppError } from '../contract/errors.ts';
import type { TranscriptSegment, TranscriptionEvent, TranscriptionJob } from '../contract/speech.ts';
import { meanLogprob } from './mean-logprob.ts';

/**
 * Below this mean log-probability a text is taken for made up. Measured with Moonshine base: English clips, also
 * over the telephone and with noise, −0.05 to −0.20; German, French, Spanish and Portuguese ones −0.30 to −1.44.
 */
const leastAvgLogprob = -0.25;

/**
 * Passes the events of a transcription on, its text only once it is known to be English. `translators` are the models
 * to name where it is not.
 * @throws AppError `unsupported_language` where the speech is not English; a job that says it is, is believed
 */
export async function* translateEnglish(job: TranscriptionJob, translators: readonly string[], events: AsyncIterable<TranscriptionEvent>): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const held: TranscriptionEvent[] = [];
  for await (const event of events) {
    if (event.type === 'segment' && job.language === undefined) held.push(event);
    else {
      if (event.type === 'done') {
        if (job.language === undefined) refuseForeign(event.transcript.segments, translators);
        yield* held;
      }
      yield event;
    }
  }
}

function refuseForeign(segments: readonly TranscriptSegment[], translators: readonly string[]): void {
  if (segments.length === 0 || meanLogprob(segments) >= leastAvgLogprob) return;
  const others = translators.length === 0 ? '' : ` (${translators.join(' or ')} translates other languages)`;
  const message = `The speech does not sound like English, and this model knows English only${others}. If it is English, name the language.`;
  throw new AppError('unsupported_language', message, { param: 'file' });
}
