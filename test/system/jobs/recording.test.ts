// Recordings made in the window, through the gateway's own routes and with the real engines.

import { join } from "node:path";
import { open, readdir, readFile } from "node:fs/promises";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { floatToPcm, joinSamples } from "../../../main/audio/codec/pcm.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { eventRoutes } from "../../../main/server/app-api/events.ts";
import { joinRoutes } from "../../../main/server/app-api/handlers.ts";
import { transcriptionRoutes } from "../../../main/server/app-api/transcription.ts";
import { createAppEvents } from "../../../main/jobs/events.ts";
import { waitUntil } from "../../support/command-line.ts";
import { createTestGateway } from "../../support/gateway-server.ts";
import { silence } from "../../support/test-audio.ts";
import {
  openTranscriptionJobs,
  type TestTranscriptionJobs,
  parseOptions,
} from "../../support/transcription-jobs.ts";
import { resampleTo16kHz, normalizeWords, synthesizeSamples } from "../../support/test-data.ts";

const sentence = "The captain knows nearly all of them by name.";
const later = "By evening the water is quiet again.";
let pcm: Uint8Array;
const isOver = ({ state }: Item): boolean => ["done", "failed", "cancelled"].includes(state);

beforeAll(async () => {
  const [one, other] = [
    await resampleTo16kHz(await synthesizeSamples(sentence)),
    await resampleTo16kHz(await synthesizeSamples(later)),
  ];
  pcm = floatToPcm(joinSamples([one, silence(2, 16_000), other]));
});

const createRequester = async (
  { transcriptionJobs }: TestTranscriptionJobs,
  events = createAppEvents(),
) => {
  const { gateway } = await createTestGateway({
    deps: { appApiRoutes: joinRoutes(transcriptionRoutes(transcriptionJobs), eventRoutes(events)) },
  });
  return (path: string, init?: RequestInit): Promise<Response> =>
    gateway.handle(new Request(`http://127.0.0.1${path}`, init), { isTrusted: true });
};
const post = (body: Uint8Array | string = ""): RequestInit => ({
  method: "POST",
  body: body as BodyInit,
});

const saidBy = (jobs: TestTranscriptionJobs, id: string, speaker: string): string =>
  normalizeWords(
    jobs.documents
      .read(id)
      .segments.filter((segment) => segment.speaker === speaker)
      .map(({ text }) => text)
      .join(" "),
  );

it("shows text during a recording, stores it, and transcribes the rest at its end", async () => {
  const jobs = await openTranscriptionJobs();
  const ask = await createRequester(jobs);
  const item = (await (await ask("/app/recordings?title=Memo", post())).json()) as Item;
  expect(item).toMatchObject({ title: "Memo", source: "recording", state: "recording" });
  const sound = (from: number, to: number): Promise<Response> =>
    ask(`/app/recordings/${item.id}/sound?from=${from}`, post(pcm.slice(from * 2, to * 2)));
  const samples = pcm.length / 2;
  let storedSamples = 0;
  const live = Promise.withResolvers<void>();
  const watch = setInterval(
    () => jobs.documents.readHeader(item.id).segmentCount > 0 && live.resolve(),
    20,
  );
  while (storedSamples < samples)
    storedSamples = (
      (await (await sound(storedSamples, Math.min(samples, storedSamples + 16_000))).json()) as {
        samples: number;
      }
    ).samples;
  await live.promise;
  clearInterval(watch);
  expect(jobs.items.read(item.id).state).toBe("recording");
  expect(normalizeWords(jobs.textOf(item.id))).toBe(normalizeWords(sentence));
  expect(jobs.publishedEvents.some(({ type }) => type === "segments")).toBe(true);
  expect(await (await ask(`/app/recordings/${item.id}/end`, post())).json()).toMatchObject({
    id: item.id,
  });
  await jobs.waitForItem(item.id, isOver);
  expect(normalizeWords(jobs.textOf(item.id))).toBe(normalizeWords(`${sentence} ${later}`));
  expect((await sound(storedSamples, storedSamples + 100)).status).toBe(409);
  expect(await (await ask(`/app/recordings/${item.id}/end`, post())).json()).toMatchObject({
    state: "done",
  });
});

it("keeps two tracks in one recording, and transcribes each with its speaker, live and after a crash", async () => {
  const [me, others] = [
    await resampleTo16kHz(await synthesizeSamples(sentence)),
    await resampleTo16kHz(await synthesizeSamples(later)),
  ];
  const frames = Math.max(me.length, others.length) + 2 * 16_000;
  const [left, right] = [new Float32Array(frames), new Float32Array(frames)];
  left.set(me);
  // At the same time.
  right.set(others, 8000);
  const both = floatToPcm(
    Float32Array.from(
      { length: frames * 2 },
      (_, at) => (at % 2 === 0 ? left : right)[at >> 1] ?? 0,
    ),
  );
  const tracks = ["Me", "Others"];
  const first = await openTranscriptionJobs();
  const heard = await first.transcriptionJobs.recordings.begin("Call", {
    ...parseOptions(),
    tracks,
  });
  await first.transcriptionJobs.recordings.append(heard.id, 0, both);
  await waitUntil(() => first.documents.readHeader(heard.id).segmentCount >= 2);
  expect(first.items.read(heard.id).state).toBe("recording");
  const unheard = await first.transcriptionJobs.recordings.begin(
    "Later",
    { ...parseOptions(), tracks },
    false,
  );
  expect(await first.transcriptionJobs.recordings.append(unheard.id, 0, both)).toBe(frames);
  await first.close();
  const second = await openTranscriptionJobs({ dataDir: first.dataDir });
  await second.transcriptionJobs.resume();
  for (const { id } of [heard, unheard]) {
    expect(await second.waitForItem(id, isOver)).toMatchObject({
      state: "done",
      durationSec: frames / 16_000,
    });
    expect(saidBy(second, id, "Me")).toBe(normalizeWords(sentence));
    expect(saidBy(second, id, "Others")).toBe(normalizeWords(later));
  }
  // Another model transcribes the tracks, too.
  const again = await second.transcriptionJobs.start(heard.id, {
    ...parseOptions(),
    language: "en",
  });
  await second.waitForItem(again.id, isOver);
  expect(second.documents.read(again.id).options.tracks).toEqual(tracks);
  expect(saidBy(second, again.id, "Others")).toBe(normalizeWords(later));
  const part = await second.transcriptionJobs.retranscribe(
    heard.id,
    { ...parseOptions(), fromSec: 0, toSec: frames / 16_000 },
    new AbortController().signal,
  );
  expect(new Set(part.segments.map(({ speaker }) => speaker))).toEqual(new Set(tracks));
});

it("finds a recording that a crash left at the next start and transcribes it", async () => {
  const first = await openTranscriptionJobs();
  const { id } = await first.transcriptionJobs.recordings.begin(undefined, parseOptions());
  await first.transcriptionJobs.recordings.append(id, 0, pcm);
  await first.close();
  const second = await openTranscriptionJobs({ dataDir: first.dataDir });
  expect(second.items.read(id).state).toBe("recording");
  await second.transcriptionJobs.resume();
  expect((await second.waitForItem(id, isOver)).state).toBe("done");
  expect(normalizeWords(second.textOf(id))).toBe(normalizeWords(`${sentence} ${later}`));
});

it("ends and transcribes a recording after some minutes without data, but not one that a connected window has paused", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let nowMs = 0;
  const jobs = await openTranscriptionJobs({ now: () => nowMs });
  const passMinutes = (minutes: number): void => {
    nowMs += minutes * 60_000;
    vi.advanceTimersByTime(60_000);
  };
  const window = jobs.subscribe();
  const { id } = await jobs.transcriptionJobs.recordings.begin("Left", parseOptions());
  await jobs.transcriptionJobs.recordings.append(id, 0, pcm);
  passMinutes(30);
  expect(jobs.items.read(id).state).toBe("recording");
  window.close();
  expect(
    await jobs.transcriptionJobs.recordings.append(id, pcm.length / 2, new Uint8Array(2)),
  ).toBe(pcm.length / 2 + 1);
  passMinutes(4);
  expect(jobs.items.read(id).state).toBe("recording");
  passMinutes(2);
  expect((await jobs.waitForItem(id, isOver)).state).toBe("done");
  expect(normalizeWords(jobs.textOf(id))).toBe(normalizeWords(`${sentence} ${later}`));
});

/** Makes the next writes of this kind fail, as with a full disk. @param times number of writes, or Infinity */
async function fillDisk(method: "write" | "appendFile", times: number) {
  const file = await open(import.meta.filename);
  const spy = vi.spyOn(Object.getPrototypeOf(file) as typeof file, method);
  await file.close();
  onTestFinished(() => spy.mockRestore());
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
  });
  if (times === Infinity) spy.mockRejectedValue(full);
  else Array.from({ length: times }, () => spy.mockRejectedValueOnce(full));
  return spy;
}

it("reports a full disk to the window, and loses nothing that was stored before or is sent again", async () => {
  const jobs = await openTranscriptionJobs();
  const ask = await createRequester(jobs);
  const item = (await (await ask("/app/recordings?title=Full", post())).json()) as Item;
  const half = Math.floor(pcm.length / 4);
  const sound = async (from: number, to: number) => {
    const response = await ask(
      `/app/recordings/${item.id}/sound?from=${from}`,
      post(pcm.slice(from * 2, to * 2)),
    );
    return [response.status, await response.json()];
  };
  expect(await sound(0, half)).toEqual([200, { samples: half }]);
  await fillDisk("write", 1);
  expect(await sound(half, half + 16_000)).toMatchObject([
    507,
    {
      error: { code: "storage_full", message: expect.stringContaining("no room left on the disk") },
    },
  ]);
  expect(await sound(half, pcm.length / 2)).toEqual([200, { samples: pcm.length / 2 }]);
  const disk = await fillDisk("write", Infinity);
  expect((await ask(`/app/recordings/${item.id}/end`, post())).status).toBe(507);
  expect(jobs.items.read(item.id).state).toBe("recording");
  // Once there is space again, the recording is ended and transcribed without a request.
  disk.mockRestore();
  await jobs.waitForItem(item.id, isOver);
  expect(normalizeWords(jobs.textOf(item.id))).toBe(normalizeWords(`${sentence} ${later}`));
});

it("leaves no files of a recording or an upload that does not fit on the disk", async () => {
  const jobs = await openTranscriptionJobs();
  const ask = await createRequester(jobs);
  await fillDisk("write", 1);
  expect((await ask("/app/recordings", post())).status).toBe(507);
  await fillDisk("appendFile", 1);
  expect((await ask("/app/uploads?name=x.wav", post(pcm))).status).toBe(507);
  expect(jobs.items.list()).toEqual([]);
  expect(await readdir(join(jobs.dataDir, "tmp"))).toEqual([]);
});

it("reports an empty recording, and can transcribe a stopped one later", async () => {
  const { transcriptionJobs, items, waitForItem } = await openTranscriptionJobs();
  const empty = await transcriptionJobs.recordings.begin("Empty", parseOptions());
  expect(await transcriptionJobs.recordings.end(empty.id)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("Nothing was recorded") as string,
  });
  const { id } = await transcriptionJobs.recordings.begin("Memo", parseOptions());
  await transcriptionJobs.recordings.append(id, 0, pcm);
  await transcriptionJobs.stopWork(id);
  expect(items.read(id).state).toBe("cancelled");
  await transcriptionJobs.start(id, parseOptions());
  expect((await waitForItem(id, isOver)).state).toBe("done");
});

it("serves a recording in ranges, with its waveform", async () => {
  const jobs = await openTranscriptionJobs();
  const ask = await createRequester(jobs);
  const { id } = await jobs.transcriptionJobs.recordings.begin("Memo", parseOptions());
  await jobs.transcriptionJobs.recordings.append(id, 0, pcm);
  await jobs.transcriptionJobs.recordings.end(id);
  await jobs.waitForItem(id, isOver);
  const media = `/app/items/${id}/media`;
  const whole = await ask(media);
  const bytes = Buffer.from(await whole.arrayBuffer());
  expect([
    whole.status,
    whole.headers.get("content-type"),
    whole.headers.get("accept-ranges"),
  ]).toEqual([200, "audio/wav", "bytes"]);
  expect(bytes).toEqual(await readFile(join(jobs.items.folder(id), "source.wav")));
  const range = async (value: string, more: Record<string, string> = {}) => {
    const response = await ask(media, { headers: { range: value, ...more } });
    return {
      status: response.status,
      range: response.headers.get("content-range"),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  expect(await range("bytes=4-9")).toEqual({
    status: 206,
    range: `bytes 4-9/${bytes.length}`,
    bytes: bytes.subarray(4, 10),
  });
  expect(await range("bytes=1000-")).toEqual({
    status: 206,
    range: `bytes 1000-${bytes.length - 1}/${bytes.length}`,
    bytes: bytes.subarray(1000),
  });
  expect(await range("bytes=-7")).toMatchObject({ status: 206, bytes: bytes.subarray(-7) });
  expect(await range(`bytes=${bytes.length}-`)).toMatchObject({
    status: 416,
    range: `bytes */${bytes.length}`,
  });
  expect((await range("bytes=4-9", { "if-range": '"another"' })).status).toBe(200);
  expect(
    (await ask(media, { headers: { "if-none-match": whole.headers.get("etag") ?? "" } })).status,
  ).toBe(304);
  const peaks = await (await ask(`/app/items/${id}/peaks`)).arrayBuffer();
  expect(peaks.byteLength).toBe(2 * Math.ceil(pcm.length / 320));
});

it("accepts an upload with its options, or refuses it with the reason", async () => {
  const jobs = await openTranscriptionJobs();
  const ask = await createRequester(jobs);
  expect(
    (
      await ask(
        `/app/uploads?name=x.wav&options=${encodeURIComponent('{"model":"no-such"}')}`,
        post(pcm),
      )
    ).status,
  ).toBe(404);
  expect((await ask("/app/uploads?name=x.wav&options=none", post(pcm))).status).toBe(400);
  expect((await ask("/app/uploads?name=letter.txt", post("Dear Sir, ".repeat(500)))).status).toBe(
    400,
  );
  expect((await ask("/app/uploads", post(pcm))).status).toBe(400);
  const recording = await jobs.transcriptionJobs.recordings.begin("Memo", parseOptions());
  await jobs.transcriptionJobs.recordings.append(recording.id, 0, pcm);
  await jobs.transcriptionJobs.stopWork(recording.id);
  const bytes = await readFile(join(jobs.items.folder(recording.id), "source.wav"));
  const item = (await (
    await ask(
      `/app/uploads?name=${encodeURIComponent("Größe 1.wav")}&options=${encodeURIComponent('{"language":"en"}')}`,
      post(bytes),
    )
  ).json()) as Item;
  expect(item.title).toBe("Größe 1");
  expect(jobs.documents.read(item.id).options.language).toBe("en");
  expect((await jobs.waitForItem(item.id, isOver)).state).toBe("done");
});

it("sends a window a greeting, events and keep-alives", async () => {
  const jobs = await openTranscriptionJobs();
  const events = createAppEvents();
  const { gateway } = await createTestGateway({
    deps: {
      appApiRoutes: joinRoutes(transcriptionRoutes(jobs.transcriptionJobs), eventRoutes(events)),
    },
    limits: { keepAliveMs: 50 },
  });
  const response = await gateway.handle(new Request("http://127.0.0.1/app/events"), {
    isTrusted: true,
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .getReader();
  expect((await reader.read()).value).toContain("hello");
  events.publish({ type: "channels" });
  const seen: string[] = [];
  while (!seen.join("").includes("still here")) seen.push((await reader.read()).value ?? "");
  expect(seen.join("")).toContain('data: {"type":"channels"}\n\n');
  events.close();
  for (let done = false; !done;) ({ done } = await reader.read());
});
