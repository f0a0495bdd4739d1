// Narrations over the app's own HTTP interface, as the window uses it.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";
import { waitUntil } from "../../support/command-line.ts";
import { hibariForEnglish } from "../../support/local-models.ts";
import { openFolder, smallPicture } from "../../support/test-data.ts";

let app: AppWithWindow;
let page: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  page = await openFolder();
  await writeFile(join(page.path, "index.html"), "<!doctype html><title>Hearsay</title>");
  app = await openAppWithWindow({ rendererDir: page.path });
  await app.call("changePreferences", { models: hibariForEnglish });
}, 60_000);
afterAll(async () => {
  await app.close();
  await page.remove();
});

const json = (body: unknown): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

it("turns a script into an audiobook: import, generation, playback by range requests, export as a file and as a ZIP of chapters", async () => {
  const brought = (await (
    await app.send("/app/scripts?name=Rain.md", {
      method: "POST",
      body: "# One\n\nRain fell **all** day.\n\n# Two\n\nThen it stopped.",
    })
  ).json()) as { title: string; script: string };
  expect(brought).toEqual({
    title: "One",
    author: "",
    script: "# One\n\nRain fell all day.\n\n# Two\n\nThen it stopped.",
  });
  const { id } = await app.call("createNarration", {
    title: "Rain: a story",
    script: brought.script,
  });
  expect((await app.call("makeNarration", {}, id)).state).toBe("running");
  expect((await app.waitUntilFinished(id)).state).toBe("done");
  const { sentences } = await app.call("readNarration", {}, id);
  expect(sentences.map(({ text, chapter, takes }) => [text, chapter, takes.length])).toEqual([
    ["One", "One", 1],
    ["Rain fell all day.", undefined, 1],
    ["Two", "Two", 1],
    ["Then it stopped.", undefined, 1],
  ]);

  const part = await app.send(`/app/items/${id}/takes/${sentences[1]?.chosenTake}`, {
    headers: { range: "bytes=0-3" },
  });
  expect([part.status, part.headers.get("content-type"), await part.text()]).toEqual([
    206,
    "audio/wav",
    "RIFF",
  ]);

  const one = await app.send(`/app/items/${id}/narration-file`, json({ format: "opus" }));
  expect(one.headers.get("content-disposition")).toContain("Rain a story.opus");
  expect(Buffer.from(await one.arrayBuffer()).toString("latin1", 0, 4)).toBe("OggS");

  const several = await app.send(
    `/app/items/${id}/narration-file`,
    json({ format: "flac", perChapter: true, subtitles: "vtt" }),
  );
  expect([several.headers.get("content-type"), several.headers.get("content-disposition")]).toEqual(
    ["application/zip", expect.stringContaining("Rain a story.zip")],
  );
  const files = unzipSync(new Uint8Array(await several.arrayBuffer()));
  expect(Object.keys(files)).toEqual(["1 One.flac", "1 One.vtt", "2 Two.flac", "2 Two.vtt"]);
  expect(Buffer.from(files["2 Two.vtt"] ?? []).toString()).toContain("Then it stopped.");

  await app.call("changeVocabulary", { entries: [{ word: "rain", says: "rayne", heard: "" }] });
  expect(
    (await app.call("readNarration", {}, id)).sentences.map(({ takes }) => takes.length),
  ).toEqual([1, 0, 1, 1]);
  await expect(
    app.send(`/app/items/${id}/narration-file`, json({ format: "wav" })),
  ).rejects.toThrow(/answered 400.*1 of 4 sentences/);
});

it("stores author and cover, returns the waveform, reports the export's progress, and cancels an export that no client waits for", async () => {
  const script = Array.from({ length: 90 }, (_, at) =>
    at % 45 === 0 ? `# Part ${at / 45 + 1}` : `Line ${at % 9}.`,
  ).join("\n\n");
  const { id } = await app.call("createNarration", {
    title: "Lines",
    script,
    author: "A. Author",
    cover: smallPicture.toString("base64"),
  });
  expect(await app.call("readBookDetails", {}, id)).toEqual({
    title: "",
    author: "A. Author",
    hasCover: true,
  });
  const cover = await app.send(`/app/items/${id}/cover`);
  expect([
    cover.headers.get("content-type"),
    Buffer.from(await cover.arrayBuffer()).equals(smallPicture),
  ]).toEqual(["image/png", true]);
  await expect(app.send(`/app/items/${id}/narration-peaks`)).rejects.toThrow(/answered 400/);
  await app.call("makeNarration", {}, id);
  const { durationSec } = await app.waitUntilFinished(id);

  const peaks = new Uint8Array(
    await (await app.send(`/app/items/${id}/narration-peaks`)).arrayBuffer(),
  );
  // The pause after the last word is not played.
  expect(Math.abs(peaks.length / 200 - durationSec)).toBeLessThan(3);
  const loud = peaks.filter((peak, at) => at % 2 === 1 && peak > 140).length;
  expect(loud / (peaks.length / 2)).toBeGreaterThan(0.2);
  expect(loud / (peaks.length / 2)).toBeLessThan(0.9);

  expect(await app.call("changeBookDetails", { author: " B. Author " }, id)).toEqual({
    title: "",
    author: "B. Author",
    hasCover: true,
  });
  // One request after the other, each together with an update of the options: a closing page sends them separately.
  await Promise.all([
    app.call("changeBookDetails", { title: " Verses: all " }, id),
    app.call("changeBookDetails", { author: "C. Author" }, id),
  ]);
  expect(await app.call("readBookDetails", {}, id)).toEqual({
    title: "Verses: all",
    author: "C. Author",
    hasCover: true,
  });
  const leave = new AbortController();
  const events = await app.send("/app/events", { signal: leave.signal });
  const made = await app.send(
    `/app/items/${id}/narration-file`,
    json({ format: "mp3", normalise: true }),
  );
  expect(made.headers.get("content-disposition")).toContain("Verses all.mp3");
  const file = Buffer.from(await made.arrayBuffer());
  expect([
    file.includes("CTOC"),
    file.includes("CHAP"),
    file.includes("Part 2"),
    file.includes("C. Author"),
    file.includes("APIC"),
  ]).toEqual([true, true, true, true, true]);
  const progressValues: number[] = [];
  const decoder = new TextDecoder();
  for await (const bytes of events.body ?? []) {
    for (const [, part] of decoder
      .decode(bytes)
      .matchAll(/"narration-file".*?"progress":([\d.]+)/g))
      progressValues.push(Number(part));
    if (progressValues.at(-1) === 1) break;
  }
  leave.abort();
  expect(progressValues.length).toBeGreaterThan(3);
  expect(progressValues).toEqual(progressValues.toSorted((a, b) => a - b));

  const patience = new AbortController();
  const given = app.send(`/app/items/${id}/narration-file`, {
    ...json({ format: "mp3", normalise: true }),
    signal: patience.signal,
  });
  patience.abort();
  await expect(given).rejects.toThrow(/abort/i);
  await expect
    .poll(async () =>
      (await readdir(join(app.dataDir, "tmp"), { recursive: true })).filter((name) =>
        name.includes("book-"),
      ),
    )
    .toEqual([]);
});

it("keeps a removed cover removed until another is set, and refuses files that are not images", async () => {
  const { id } = await app.call("createNarration", {
    script: "One line.",
    cover: smallPicture.toString("base64"),
  });
  await app.call("makeNarration", {}, id);
  await app.waitUntilFinished(id);
  const hasPicture = async (): Promise<boolean> =>
    Buffer.from(
      await (
        await app.send(`/app/items/${id}/narration-file`, json({ format: "mp3" }))
      ).arrayBuffer(),
    ).includes("APIC");
  expect(await hasPicture()).toBe(true);

  expect(await app.call("changeBookDetails", { cover: null }, id)).toEqual({
    title: "",
    author: "",
    hasCover: false,
  });
  expect(await hasPicture()).toBe(false);
  expect(await app.call("readBookDetails", {}, id)).toEqual({
    title: "",
    author: "",
    hasCover: false,
  });
  await expect(app.send(`/app/items/${id}/cover`)).rejects.toThrow(/answered 404/);

  await app.call("changeBookDetails", { cover: smallPicture.toString("base64") }, id);
  expect(await hasPicture()).toBe(true);
  const text = Buffer.from("no picture").toString("base64");
  await expect(
    app.call("changeBookDetails", { author: "Nobody", cover: text }, id),
  ).rejects.toThrow(/A cover is a JPEG or PNG picture/);
  expect(await app.call("readBookDetails", {}, id)).toEqual({
    title: "",
    author: "",
    hasCover: true,
  });
  const { items } = await app.call("listItems", {});
  await expect(
    app.call("createNarration", { script: "Another line.", cover: text }),
  ).rejects.toThrow(/answered 400/);
  expect((await app.call("listItems", {})).items.length).toBe(items.length);
  await expect(app.call("changeBookDetails", { author: "Nobody" }, "nothing")).rejects.toThrow(
    /answered 404/,
  );
});

it("offers a finished narration as a podcast on the local network only, until the address is revoked", async () => {
  const { id } = await app.call("createNarration", { title: "Tom & Jerry", script: "Hello." });
  await app.call("makeNarration", {}, id);
  await app.waitUntilFinished(id);
  const { path = "" } = await app.call("changePodcastFeed", { isOn: true });
  const fetchFeed = (feedPath: string, init?: RequestInit): Promise<Response> =>
    fetch(new URL(feedPath, app.baseUrl), init);
  // In the process: a request over the port would wait for its own connection to be closed.
  const setNetworkOpen = (isNetworkOpen: boolean): Promise<Response> =>
    app.app.handle(
      new Request(new URL("/app/server", app.baseUrl), {
        method: "PUT",
        body: JSON.stringify({ isRunning: true, isNetworkOpen }),
      }),
    );
  expect((await fetchFeed(path)).status).toBe(404);

  expect((await setNetworkOpen(true)).status).toBe(200);
  let xml = "";
  // The port was opened anew, so a connection that is kept alive may end.
  await waitUntil(async () => {
    xml = await fetchFeed(path).then((response) => response.text(), String);
    return xml.includes("Tom &amp; Jerry");
  });
  const [, audioUrl = "", sizeBytes] =
    new RegExp(`<enclosure url="([^"]*/${id}\\.mp3)" length="(\\d+)"`).exec(xml) ?? [];
  const whole = Buffer.from(await (await fetchFeed(audioUrl)).arrayBuffer());
  expect([String(whole.length), whole.toString("latin1", 0, 3)]).toEqual([sizeBytes, "ID3"]);
  const range = await fetchFeed(audioUrl, { headers: { range: "bytes=-100" } });
  expect([range.status, range.headers.get("content-length")]).toEqual([206, "100"]);
  expect(whole.subarray(-100).equals(Buffer.from(await range.arrayBuffer()))).toBe(true);

  const renewed = await app.call("renewPodcastFeed");
  expect((await fetchFeed(audioUrl)).status).toBe(404);
  expect((await fetchFeed(renewed.path ?? "")).status).toBe(200);
  expect((await setNetworkOpen(false)).status).toBe(200);
  await waitUntil(
    async () => (await fetchFeed(renewed.path ?? "").catch(() => undefined))?.status === 404,
  );
});
