// Run by provider.ts: transcribes and synthesizes like a provider, without engines. Forms are parsed as by real
// servers. Speech comes in three chunks, the first of which has the time at which it was sent.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { Busboy } from "@fastify/busboy";
import { type ProviderOptions, withTimestamp } from "./provider.ts";

/** 0.1 s of silence. */
const chunkBytes = 4800;
const chunkIntervalMs = 5;

process.once("message", (message) => {
  const { name, port, transcriptionMs } = message as ProviderOptions;
  let queue: Promise<unknown> = Promise.resolve();

  async function transcribe(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { model, fileBytes } = await readForm(request);
    if (transcriptionMs > 0) await (queue = queue.then(() => pause(transcriptionMs)));
    respond(response, 200, {
      text: `${name} transcribed ${fileBytes} bytes with ${model}.`,
      usage: { type: "duration", seconds: 1 },
    });
  }

  const server = createServer((request, response) => {
    // The client may have disconnected.
    response.on("error", () => {});
    if (request.url === "/v1/models")
      respond(response, 200, {
        object: "list",
        data: ["whisper-1", "tts-1"].map((id) => ({
          id,
          object: "model",
          created: 0,
          owned_by: name,
        })),
      });
    else if (request.url === "/v1/audio/transcriptions")
      void transcribe(request, response).catch((error: Error) =>
        respond(response, 400, { error: { message: error.message } }),
      );
    else if (request.url === "/v1/audio/speech")
      void synthesize(request, response).catch(() => response.destroy());
    else respond(response, 404, { error: { message: "no such page" } });
  });
  server.listen(port, "127.0.0.1", () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  );
});
process.on("disconnect", () => process.exit());

function respond(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response
    .writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    })
    .end(body);
}

function readForm(request: IncomingMessage): Promise<{ model: string; fileBytes: number }> {
  return new Promise((resolve, reject) => {
    const parser = new Busboy({
      headers: { ...request.headers, "content-type": request.headers["content-type"] ?? "" },
    });
    let [model, fileBytes] = ["", 0];
    parser.on("field", (name, value) => {
      if (name === "model") model = value;
    });
    parser.on("file", (_, stream) =>
      stream.on("data", (chunk: Buffer) => (fileBytes += chunk.length)),
    );
    parser.on("finish", () => resolve({ model, fileBytes }));
    parser.on("error", reject);
    request.on("error", reject).pipe(parser);
  });
}

async function synthesize(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readJson(request);
  response.writeHead(200, { "content-type": "audio/pcm" });
  response.flushHeaders();
  await pause(chunkIntervalMs);
  response.write(withTimestamp(Buffer.alloc(chunkBytes)));
  await pause(chunkIntervalMs);
  response.write(Buffer.alloc(chunkBytes));
  await pause(chunkIntervalMs);
  response.end(Buffer.alloc(chunkBytes));
}
