// The operations of the soak: each is an everyday use of the app from start to end, and removes what it created.

import { FormData } from "undici";
import type { Item } from "../../../main/contract/library-item.ts";
import type { Narration } from "../../../main/contract/narration.ts";
import type { TranscriptDocument } from "../../../main/contract/transcript-document.ts";
import type { SoakClient } from "./soak-client.ts";

export type SoakAudio = {
  /** A few seconds of speech: WAV, and 16-bit samples at 16 kHz. */
  wav: Uint8Array<ArrayBuffer>;
  pcm: Uint8Array<ArrayBuffer>;
};
type Operation = {
  readonly name: string;
  readonly weight: number;
  run(client: SoakClient, audio: SoakAudio): Promise<void>;
};

const sentences = [
  "The harbour was quiet that morning.",
  "A single boat lay at the pier, and nobody was in it.",
  "She had come four hundred miles to say so.",
];
const pick = <T>(client: SoakClient, values: readonly T[]): T =>
  values[Math.floor(client.random() * values.length)] as T;
const octets = { "content-type": "application/octet-stream" };
const jsonBody = (fields: object) => ({
  method: "POST",
  body: JSON.stringify(fields),
  headers: { "content-type": "application/json" },
});

function transcription({ wav }: SoakAudio, fields: Record<string, string>) {
  const body = new FormData();
  body.set("file", new Blob([wav]), "clip.wav");
  body.set("model", "whisper-1");
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { method: "POST", body };
}

const speech = (client: SoakClient, overrides: object = {}) =>
  jsonBody({ model: "tts-1", voice: "nova", input: pick(client, sentences), ...overrides });
const remove = (client: SoakClient, id: string): Promise<unknown> =>
  client.json(`/app/items/${id}`, { method: "DELETE" });
const upload = (client: SoakClient, { wav }: SoakAudio, name: string): Promise<Item> =>
  client.json<Item>(`/app/uploads?name=${encodeURIComponent(name)}`, {
    method: "POST",
    body: wav,
    headers: octets,
  });

async function editLibrary(client: SoakClient, audio: SoakAudio): Promise<void> {
  const { id } = await upload(client, audio, "A memo.wav");
  await client.waitUntilFinished(id);
  const { revision, segments } = await client.json<TranscriptDocument>(`/app/items/${id}/document`);
  await client.post(
    `/app/items/${id}/document`,
    { revision, put: segments.map((segment) => ({ ...segment, speaker: "Anna" })), remove: [] },
    "PATCH",
  );
  await client.post(`/app/items/${id}`, { title: "Another memo", tags: ["soak"] }, "PATCH");
  await client.json("/app/search?q=boat");
  for (const format of ["srt", "docx"])
    await (await client.request(`/app/items/${id}/export?format=${format}`)).arrayBuffer();
  await (await client.request(`/app/items/${id}/peaks`)).arrayBuffer();
  await (
    await client.request(`/app/items/${id}/media`, { headers: { range: "bytes=0-999" } })
  ).arrayBuffer();
  await remove(client, id);
}

async function record(client: SoakClient, { pcm }: SoakAudio): Promise<void> {
  const { id } = await client.json<Item>("/app/recordings?title=Soak", { method: "POST" });
  const chunkBytes = 32_000;
  for (let at = 0; at < pcm.length; at += chunkBytes)
    await client.json(`/app/recordings/${id}/sound?from=${at / 2}`, {
      method: "POST",
      body: pcm.slice(at, at + chunkBytes),
      headers: octets,
    });
  await client.json(`/app/recordings/${id}/end`, { method: "POST" });
  await client.waitUntilFinished(id);
  await remove(client, id);
}

async function narrate(client: SoakClient): Promise<void> {
  const { id } = (await client.post("/app/narrations", {
    title: "Soak",
    script: sentences.join(" "),
  })) as Item;
  await client.post(`/app/items/${id}/make`, {});
  // The item may be finished before the request to stop.
  if (client.random() < 0.3)
    await (await client.request(`/app/items/${id}/cancel`, jsonBody({}), [409])).arrayBuffer();
  await client.waitUntilFinished(id);
  const { revision, options } = await client.json<Narration>(`/app/items/${id}/narration`);
  await client.post(
    `/app/items/${id}/narration`,
    { revision, options, script: `${sentences.join(" ")} The end.` },
    "PUT",
  );
  await remove(client, id);
}

/** A window that subscribes to events for a moment. */
async function listen(client: SoakClient): Promise<void> {
  const response = await client.request("/app/events");
  const reader = response.body?.getReader();
  await reader?.read();
  await client.json("/app/items");
  await reader?.cancel();
}

/** Sends half of an upload, then disconnects. */
async function abortUpload(client: SoakClient, { wav }: SoakAudio): Promise<void> {
  const half = wav.slice(0, wav.length / 2);
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(half) });
  await client.sendAndAbort("/app/uploads?name=half.wav", {
    method: "POST",
    body,
    duplex: "half",
    headers: { ...octets, "content-length": String(wav.length) },
  });
}

async function configure(client: SoakClient): Promise<void> {
  const { id } = (await client.post("/app/channels", {
    name: `soak-${Math.floor(client.random() * 1e9)}`,
    prefix: "soak",
    baseUrl: "http://127.0.0.1:9/v1",
    paid: false,
  })) as { id: string };
  await client.post(`/app/channels/${id}`, { weight: 2 }, "PATCH");
  await client.json(`/app/channels/${id}`, { method: "DELETE" });
  const { id: keyId } = (await client.post("/app/keys", {
    name: `soak-${Math.floor(client.random() * 1e9)}`,
  })) as { id: string };
  await client.json(`/app/keys/${keyId}`, { method: "DELETE" });
  await client.post(
    "/app/preferences",
    { theme: pick(client, ["light", "dark", "system"]) },
    "PATCH",
  );
}

async function readEverything(client: SoakClient): Promise<void> {
  for (const path of [
    "/health",
    "/v1/models",
    "/v1/audio/voices",
    "/app/info",
    "/app/items",
    "/app/models",
    "/app/usage?by=day",
    "/openapi.json",
  ])
    await (await client.request(path)).arrayBuffer();
}

async function sendInvalidRequests(client: SoakClient): Promise<void> {
  await (
    await client.request(
      "/v1/audio/speech",
      jsonBody({ model: "tts-1", voice: "nobody", input: "" }),
      [400],
    )
  ).arrayBuffer();
  await (
    await client.request(
      "/v1/audio/speech",
      { method: "POST", body: "{", headers: { "content-type": "application/json" } },
      [400],
    )
  ).arrayBuffer();
  const body = new FormData();
  body.set("file", new Blob(["no sound at all"]), "text.wav");
  body.set("model", "whisper-1");
  await (
    await client.request("/v1/audio/transcriptions", { method: "POST", body }, [400])
  ).arrayBuffer();
  await (await client.request("/v1/nothing", {}, [404])).arrayBuffer();
  await (await client.request("/app/items/none", {}, [404])).arrayBuffer();
}

async function transcribe(client: SoakClient, audio: SoakAudio): Promise<void> {
  await (
    await client.request(
      "/v1/audio/transcriptions",
      transcription(audio, {
        response_format: pick(client, ["json", "verbose_json", "srt", "text"]),
      }),
    )
  ).arrayBuffer();
}

async function synthesize(client: SoakClient): Promise<void> {
  await (
    await client.request(
      "/v1/audio/speech",
      speech(client, { response_format: pick(client, ["mp3", "wav", "opus", "pcm"]) }),
    )
  ).arrayBuffer();
}

async function stream(client: SoakClient, audio: SoakAudio): Promise<void> {
  await (
    await client.request("/v1/audio/transcriptions", transcription(audio, { stream: "true" }))
  ).text();
  await (
    await client.request(
      "/v1/audio/speech",
      speech(client, { stream_format: "sse", response_format: "pcm" }),
    )
  ).text();
  // Reads only the first bytes.
  const reader = (
    await client.request("/v1/audio/speech", speech(client, { input: sentences.join(" ") }))
  ).body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

async function abort(client: SoakClient, audio: SoakAudio): Promise<void> {
  await client.sendAndAbort(
    "/v1/audio/transcriptions",
    transcription(audio, { stream: client.random() < 0.5 ? "true" : "false" }),
  );
  await client.sendAndAbort(
    "/v1/audio/speech",
    speech(client, { input: sentences.join(" "), response_format: "mp3" }),
  );
  await abortUpload(client, audio);
}

export const operations: readonly Operation[] = [
  { name: "transcribe", weight: 4, run: transcribe },
  { name: "synthesize", weight: 4, run: synthesize },
  { name: "stream", weight: 3, run: stream },
  { name: "abort", weight: 4, run: abort },
  { name: "edit the library", weight: 3, run: editLibrary },
  { name: "record", weight: 2, run: record },
  { name: "narrate", weight: 2, run: narrate },
  { name: "listen", weight: 3, run: listen },
  { name: "configure", weight: 1, run: configure },
  { name: "look", weight: 3, run: readEverything },
  { name: "ask wrongly", weight: 2, run: sendInvalidRequests },
];

/** Random choice by weight. */
export function pickOperation(random: () => number): Operation {
  let remainingWeight = random() * operations.reduce((sum, { weight }) => sum + weight, 0);
  return (
    operations.find(({ weight }) => (remainingWeight -= weight) < 0) ?? (operations[0] as Operation)
  );
}
