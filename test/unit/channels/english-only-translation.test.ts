import { describe, expect, it } from 'vitest';
import { translateEnglish } from '../../../main/channels/english-only-translation.ts';
import type { TranscriptionEvent, TranscriptionJob, TranscriptSegment } from '../../../main/contract/speech.ts';

const job: TranscriptionJob = { mediaPath: 'said.wav', task: 'translate', model: 'moonshine-base', temperature: 0, wordTimes: false };

/** What an English model hears, as sure of it as told. */
async function* heard(avgLogprob: number): AsyncGenerator<TranscriptionEvent> {
  const segment: TranscriptSegment = { text: 'So it is.', language: 'en', startSec: 0, endSec: 1, tokens: [1, 2, 3], avgLogprob, compressionRatio: 1, noSpeechProb: 0, seekFrames: 0, temperature: 0 };
  yield { type: 'segment', segment };
  yield { type: 'done', transcript: { language: 'english', durationSec: 1, text: segment.text, segments: [segment], failed: [] } };
}

async function typesOf(events: AsyncIterable<TranscriptionEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe('translation by a model that knows English only', () => {
  it('passes English on', async () => {
    expect(await typesOf(translateEnglish(job, ['whisper-1'], heard(-0.1)))).toEqual(['segment', 'done']);
  });

  it('refuses what does not sound like it, and names the models that translate', async () => {
    const refused = typesOf(translateEnglish(job, ['whisper-1', 'whisper-base'], heard(-0.6)));
    await expect(refused).rejects.toMatchObject({ key: 'unsupported_language', param: 'file', message: expect.stringContaining('whisper-1 or whisper-base') as string });
  });

  it('believes whoever names the language', async () => {
    expect(await typesOf(translateEnglish({ ...job, language: 'en' }, [], heard(-0.6)))).toEqual(['segment', 'done']);
  });
});
