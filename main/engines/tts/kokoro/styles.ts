// The voices' styles: for each voice 510 of them, one for each number of phonemes, as 16-bit floats.

import { parseVoiceBlend } from "../../../contract/voice-blend.ts";

export type Styles = {
  /**
   * The style for so many phonemes; for a blend, the weighted mean of its voices.
   * @returns undefined for an unknown voice
   */
  find(voice: string, phonemeCount: number): Float32Array | undefined;
};

const styleSize = 256;
const stylesPerVoice = 510;

/** @param bytes the voices in the order of `voiceIds` */
export function createStyles(bytes: Uint8Array, voiceIds: readonly string[]): Styles {
  const values = new Float16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  return {
    find(voice, phonemeCount) {
      const parts = parseVoiceBlend(voice);
      const total = parts.reduce((sum, { weight }) => sum + weight, 0);
      const style = new Float32Array(styleSize);
      const row = Math.min(Math.max(phonemeCount, 1), stylesPerVoice) - 1;
      for (const { id, weight } of parts) {
        const index = voiceIds.indexOf(id);
        if (index === -1) return undefined;
        const start = (index * stylesPerVoice + row) * styleSize;
        for (let i = 0; i < styleSize; i++) style[i]! += (weight / total) * values[start + i]!;
      }
      return parts.length === 0 ? undefined : style;
    },
  };
}
