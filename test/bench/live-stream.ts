// One realtime session that gets a recording at the speed at which it was spoken, and what it was told, with times.

import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { floatToPcm } from "../../main/audio/codec/pcm.ts";
import { unsettledField } from "../../main/contract/realtime.ts";
import type { ServedApp } from "./served-app.ts";

export type TimedEvent = {
  readonly sec: number;
  readonly type: string;
  readonly itemId: string;
} & {
  readonly delta?: string;
  readonly unsettled?: string;
  readonly transcript?: string;
};

const sampleRateHz = 16_000;
const pieceSec = 0.1;
/** Silence after the recording, which ends the last turn. */
const tailSec = 1;
const maxWaitSec = 30;

/** Events with their time since the first sample was spoken. */
export async function streamLive(
  { baseUrl, headers }: Pick<ServedApp, "baseUrl" | "headers">,
  samples: Float32Array,
  language: string,
): Promise<TimedEvent[]> {
  const socket = new WebSocket(`${baseUrl.replace("http", "ws")}/realtime?intent=transcription`, {
    headers,
  });
  const events: TimedEvent[] = [];
  let startMs = Infinity;
  const updated = Promise.withResolvers<void>();
  socket.on("error", updated.reject);
  socket.on("message", (data) => {
    const event = JSON.parse(String(data)) as Record<string, unknown> & { type: string };
    if (event.type === "session.updated") updated.resolve();
    if (event.type === "error") updated.reject(new Error(String(data)));
    events.push({
      ...event,
      sec: (performance.now() - startMs) / 1000,
      type: event.type.replace("conversation.item.input_audio_transcription.", ""),
      itemId: String(event["item_id"] ?? ""),
    });
  });
  await new Promise((resolve) => socket.once("open", resolve));
  const input = {
    format: { type: "audio/pcm", rate: sampleRateHz },
    transcription: { model: "whisper-1", language },
    turn_detection: { type: "server_vad" },
  };
  send(socket, {
    type: "session.update",
    session: { type: "transcription", audio: { input }, include: [unsettledField] },
  });
  await updated.promise;
  events.length = 0;
  startMs = performance.now();
  const chunkSamples = pieceSec * sampleRateHz;
  const totalSamples = samples.length + tailSec * sampleRateHz;
  for (let from = 0; from < totalSamples; from += chunkSamples) {
    // A chunk is sent when its last sample was spoken.
    const dueMs = startMs + ((from + chunkSamples) / sampleRateHz) * 1000;
    await pause(Math.max(0, dueMs - performance.now()));
    const chunk = new Float32Array(chunkSamples);
    chunk.set(samples.subarray(from, from + chunkSamples));
    const audio = Buffer.from(floatToPcm(chunk)).toString("base64");
    send(socket, { type: "input_audio_buffer.append", audio });
  }
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  for (let waitedSec = 0; waitedSec < maxWaitSec; waitedSec += 0.1) {
    if (count("completed") === count("input_audio_buffer.speech_stopped")) break;
    await pause(100);
  }
  socket.close();
  return events;
}

const send = (socket: WebSocket, event: object): void => socket.send(JSON.stringify(event));
