// The window as a client of /v1/realtime.

import { z } from "zod";
import { languageField, realtimePath, unsettledField } from "../../main/contract/realtime.ts";
import { withBasePath } from "./base.ts";

export type LiveTextOptions = {
  model: string;
  language?: string | undefined;
  /** Known a moment later. */
  prompt: Promise<string | undefined>;
};

const serverEvent = z.object({
  type: z.string(),
  item_id: z.string().default(""),
  delta: z.string().default(""),
  unsettled: z.string().default(""),
  transcript: z.string().default(""),
  language: z.string().optional(),
  audio_start_ms: z.number().default(0),
  audio_end_ms: z.number().default(0),
  error: z.object({ message: z.string() }).optional(),
});
export type LiveEvent = z.infer<typeof serverEvent>;

export type LiveConnection = {
  /** 16-bit samples at 16 kHz. Those from before the connection is open are kept. */
  push(block: Int16Array): void;
  send(event: object): void;
  close(): void;
};

const sampleRateHz = 16_000;

/** `findsTurns`: a pause ends a turn; otherwise the window commits it. */
export function openLiveConnection(
  { model, language, prompt, findsTurns }: LiveTextOptions & { findsTurns: boolean },
  { onEvent, onClose }: { onEvent: (event: LiveEvent) => void; onClose: () => void },
): LiveConnection {
  const address = new URL(withBasePath(`${realtimePath}?intent=transcription`), location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  let waiting: object[] = [];
  let isReady = false;
  const send = (event: object): void => {
    if (isReady) socket.send(JSON.stringify(event));
    else waiting.push(event);
  };
  socket.addEventListener("open", async () => {
    const hint = await prompt.catch(() => undefined);
    const input = {
      format: { type: "audio/pcm", rate: sampleRateHz },
      transcription: { model, ...(language && { language }), ...(hint && { prompt: hint }) },
      turn_detection: findsTurns ? { type: "server_vad" } : null,
    };
    const session = {
      type: "transcription",
      audio: { input },
      include: [unsettledField, languageField],
    };
    isReady = true;
    send({ type: "session.update", session });
    for (const event of waiting) send(event);
    waiting = [];
  });
  socket.addEventListener("message", ({ data }: MessageEvent<string>) =>
    onEvent(serverEvent.parse(JSON.parse(data))),
  );
  socket.addEventListener("close", onClose);
  return {
    push(block) {
      const bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
      send({ type: "input_audio_buffer.append", audio: btoa(String.fromCharCode(...bytes)) });
    },
    send,
    close: () => socket.close(),
  };
}
