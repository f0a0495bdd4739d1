// Transcription while somebody speaks: the window as a client of /v1/realtime. One turn, which the window ends.

import { z } from "zod";
import { realtimePath, unsettledField } from "../../main/contract/realtime.ts";
import { withBasePath } from "./base.ts";

export type LiveTextOptions = {
  model: string;
  language?: string | undefined;
  /** Known a moment later. */
  prompt: Promise<string | undefined>;
};

const serverEvent = z.object({
  type: z.string(),
  delta: z.string().default(""),
  unsettled: z.string().default(""),
  transcript: z.string().default(""),
});

const sampleRateHz = 16_000;
/** After the last sample; then the recording is transcribed as a file. */
const maxWaitMs = 20_000;
const connectionLost = (): Error => new Error("the connection for live text broke");

/** Samples are 16-bit, at 16 kHz. Those from before the connection is open are kept. */
export function openLiveText(
  { model, language, prompt }: LiveTextOptions,
  onWords: (words: { settled: string; unsettled: string }) => void,
) {
  const address = new URL(withBasePath(`${realtimePath}?intent=transcription`), location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  let waiting: object[] = [];
  let isReady = false;
  let settled = "";
  const completed = Promise.withResolvers<string>();
  // Possibly nobody waits for it.
  completed.promise.catch(() => {});
  const send = (event: object): void => {
    if (isReady) socket.send(JSON.stringify(event));
    else waiting.push(event);
  };
  socket.addEventListener("open", async () => {
    const hint = await prompt.catch(() => undefined);
    const input = {
      format: { type: "audio/pcm", rate: sampleRateHz },
      transcription: { model, ...(language && { language }), ...(hint && { prompt: hint }) },
      turn_detection: null,
    };
    const session = { type: "transcription", audio: { input }, include: [unsettledField] };
    isReady = true;
    send({ type: "session.update", session });
    for (const event of waiting) send(event);
    waiting = [];
  });
  socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
    const { type, delta, unsettled, transcript } = serverEvent.parse(JSON.parse(data));
    if (type.endsWith(".delta")) {
      settled += delta;
      onWords({ settled, unsettled });
    } else if (type.endsWith(".completed")) completed.resolve(transcript);
    else if (type === "error" || type.endsWith(".failed")) completed.reject(connectionLost());
  });
  socket.addEventListener("close", () => completed.reject(connectionLost()));
  return {
    push(block: Int16Array): void {
      const bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
      send({ type: "input_audio_buffer.append", audio: btoa(String.fromCharCode(...bytes)) });
    },
    finish(signal: AbortSignal): Promise<string> {
      signal.addEventListener("abort", () => completed.reject(signal.reason), { once: true });
      send({ type: "input_audio_buffer.commit" });
      setTimeout(() => completed.reject(connectionLost()), maxWaitMs);
      return completed.promise;
    },
    close: (): void => socket.close(),
  };
}
