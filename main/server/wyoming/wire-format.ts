// The Wyoming protocol on the wire: a line of JSON with the type of an event and the lengths of what follows, then its
// data as JSON, then its payload. Pure. https://github.com/OHF-Voice/wyoming

import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json.ts";

export type WyomingEvent = {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Samples of an audio chunk; empty for other events. */
  readonly payload: Uint8Array;
};

/** Resolves when the connection takes more. Rejects if it has ended. */
export type Send = (
  type: string,
  data?: Readonly<Record<string, unknown>>,
  payload?: Uint8Array,
) => Promise<void>;

export const eventLimits = {
  headerBytes: 64 * 1024,
  /** The longest text that is spoken, with room for a client's own fields. */
  dataBytes: 1024 * 1024,
  /** Two minutes of 16 kHz. */
  payloadBytes: 4 * 1024 * 1024,
} as const;

const length = z.int().min(0).nullish();
const record = z.record(z.string(), z.unknown());
/** `data` may be in the header itself, beside the lengths. */
const eventHeader = z.object({
  type: z.string(),
  data: record.nullish(),
  data_length: length,
  payload_length: length,
});
type EventHeader = z.infer<typeof eventHeader>;

const newline = 0x0a;
const noBytes = new Uint8Array();

export type EventReader = {
  /** @returns the events that are complete now @throws AppError if these bytes cannot be part of an event */
  push(bytes: Uint8Array): WyomingEvent[];
};

/** Reads the events of one connection. */
export function createEventReader(): EventReader {
  /** Of the part that is being read. */
  let chunks: Uint8Array[] = [];
  let chunkBytes = 0;
  let header: EventHeader | undefined;
  let data: Uint8Array | undefined;

  /** The current part with the bytes that end it. */
  function finishPart(last: Uint8Array): Uint8Array {
    const part = chunks.length === 0 ? last : Buffer.concat([...chunks, last]);
    chunks = [];
    chunkBytes = 0;
    return part;
  }

  function keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    chunks.push(bytes);
    chunkBytes += bytes.length;
  }

  /** @returns what follows the header; undefined if it is not complete */
  function readHeader(bytes: Uint8Array): Uint8Array | undefined {
    const end = bytes.indexOf(newline);
    checkSize("header", chunkBytes + (end < 0 ? bytes.length : end), eventLimits.headerBytes);
    if (end < 0) {
      keep(bytes);
      return undefined;
    }
    header = parseHeader(finishPart(bytes.subarray(0, end)));
    return bytes.subarray(end + 1);
  }

  /** @returns the part and what follows it; undefined if it is not complete */
  function readPart(bytes: Uint8Array, size: number): [Uint8Array, Uint8Array] | undefined {
    const missing = size - chunkBytes;
    if (bytes.length >= missing)
      return [finishPart(bytes.subarray(0, missing)), bytes.subarray(missing)];
    keep(bytes);
    return undefined;
  }

  /** @returns an event, if one is complete, and what follows; undefined if more bytes are needed */
  function step(bytes: Uint8Array): { event?: WyomingEvent; rest: Uint8Array } | undefined {
    if (header === undefined) {
      const rest = readHeader(bytes);
      return rest && { rest };
    }
    if (data === undefined) {
      const read = readPart(bytes, header.data_length ?? 0);
      if (read === undefined) return undefined;
      data = read[0];
      return { rest: read[1] };
    }
    const read = readPart(bytes, header.payload_length ?? 0);
    if (read === undefined) return undefined;
    const event = { type: header.type, data: joinData(header, data), payload: read[0] };
    header = undefined;
    data = undefined;
    return { event, rest: read[1] };
  }

  return {
    push(bytes) {
      const events: WyomingEvent[] = [];
      // An event without data and payload ends with its header.
      for (let rest = bytes; rest.length > 0 || header !== undefined;) {
        const read = step(rest);
        if (read === undefined) break;
        if (read.event !== undefined) events.push(read.event);
        rest = read.rest;
      }
      return events;
    },
  };
}

const malformedError = (): AppError => new AppError("wyoming.malformed");

function checkSize(part: "header" | "data" | "payload", bytes: number, max: number): void {
  if (bytes > max) throw new AppError("wyoming.partTooLong", { part, max });
}

function parseHeader(line: Uint8Array): EventHeader {
  const { success, data: header } = eventHeader.safeParse(parseJson(line, malformedError));
  if (!success) throw malformedError();
  checkSize("data", header.data_length ?? 0, eventLimits.dataBytes);
  checkSize("payload", header.payload_length ?? 0, eventLimits.payloadBytes);
  return header;
}

function joinData({ data = {} }: EventHeader, bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return { ...data };
  const { success, data: separate } = record.safeParse(parseJson(bytes, malformedError));
  if (!success) throw malformedError();
  return { ...data, ...separate };
}

/** Without data or payload, their lengths are omitted, too. */
export function encodeEvent(
  type: string,
  data: Readonly<Record<string, unknown>> = {},
  payload: Uint8Array = noBytes,
): Uint8Array {
  const dataBytes = Object.keys(data).length === 0 ? noBytes : Buffer.from(JSON.stringify(data));
  const header = {
    type,
    ...(dataBytes.length === 0 ? {} : { data_length: dataBytes.length }),
    ...(payload.length === 0 ? {} : { payload_length: payload.length }),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), dataBytes, payload]);
}
