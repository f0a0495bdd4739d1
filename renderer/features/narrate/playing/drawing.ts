// The picture of a narration for the player's strip: read once all of it is made, and anew when it becomes another.

import type { NarrationSentence } from '../../../../main/contract/studio.ts';
import { readNarrationPeaks } from '../../../api/raw.ts';
import { chosenOf } from './timeline.ts';

const emptyPeaks = new Uint8Array();
/** Takes come by the dozen while they are made. */
const restMs = 300;

/** Answers what is to be called whenever the sound may be another. What is not made in full has no picture. */
export function createDrawing(itemId: string, sentences: () => readonly NarrationSentence[], onPeaks: (peaks: Uint8Array) => void): () => void {
  let drawn: string | undefined;
  let peaks: Uint8Array = emptyPeaks;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    const all = sentences();
    if (all.length === 0 || all.some(({ takes }) => takes.length === 0)) return onPeaks(emptyPeaks);
    const wanted = all.map((sentence) => `${chosenOf(sentence)?.id} ${sentence.pauseSec}`).join(' ');
    if (wanted !== drawn) {
      peaks = await readNarrationPeaks(itemId);
      drawn = wanted;
    }
    onPeaks(peaks);
  }

  return () => {
    clearTimeout(timer);
    // Without it the sound plays all the same.
    timer = setTimeout(() => void read().catch(() => undefined), restMs);
  };
}
