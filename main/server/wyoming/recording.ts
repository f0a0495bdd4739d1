// The audio of a transcription as it arrives from a Wyoming client: 16-bit PCM of any usual rate, kept in memory.

import { z } from "zod";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import { AppError } from "../../contract/errors.ts";
import { parseFields } from "../../contract/validation.ts";
import type { WyomingEvent } from "./wire-format.ts";

/** Eight minutes of 16 kHz in mono. */
export const maxRecordingBytes = 16 * 1024 * 1024;
/** Small chunks take more memory than they hold. Eight minutes in chunks of 10 ms are 48,000. */
const maxChunks = maxRecordingBytes / 64;

const audioFormat = z.object({
  rate: z.int().min(8_000).max(96_000),
  width: z.literal(2),
  channels: z.int().min(1).max(8),
});

export type Recording = {
  readonly isEmpty: boolean;
  /** @throws AppError if the format changed or it gets too long */
  add(chunk: WyomingEvent): void;
  /** The whole recording as a WAV file. */
  toWav(): Uint8Array;
};

/** @param start the event with the format: `audio-start`, or a chunk without one @throws AppError for another format */
export function createRecording(start: WyomingEvent): Recording {
  const format = parseFields(audioFormat, start.data);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    get isEmpty() {
      return bytes === 0;
    },
    add({ data, payload }) {
      const { rate, width, channels } = parseFields(audioFormat, { ...format, ...data });
      if (rate !== format.rate || width !== format.width || channels !== format.channels)
        throw new AppError("wyoming.audioFormat");
      if (payload.length === 0) return;
      bytes += payload.length;
      if (bytes > maxRecordingBytes || chunks.length >= maxChunks)
        throw new AppError("wyoming.audioTooLong", { max: maxRecordingBytes });
      // A copy: the payload may be a view of a larger buffer, which it would keep in memory.
      chunks.push(Uint8Array.from(payload));
    },
    toWav() {
      const { rate, width, channels } = format;
      const frames = Math.floor(bytes / (width * channels));
      return joinBytes([wavHeader(rate, frames, channels), ...chunks]);
    },
  };
}
