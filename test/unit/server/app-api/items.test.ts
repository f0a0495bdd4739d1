import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { Item } from "../../../../main/contract/library-item.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { itemRoutes } from "../../../../main/server/app-api/items.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createNarrations } from "../../../../main/library/narrations.ts";
import { createPeople } from "../../../../main/library/people.ts";
import { createPreferences } from "../../../../main/library/preferences.ts";
import { createInProcessTasks } from "../../../../main/library/process/tasks.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import { transcribedSegments, documentHeader } from "../../../support/transcripts.ts";

async function window() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const documents = createDocuments(database);
  const narrations = createNarrations(database);
  const stopped: string[] = [];
  const stopWork = async (id: string): Promise<void> => {
    stopped.push(id);
    if (items.read(id).state === "running") items.change(id, { state: "cancelled" });
  };
  const soundPath = join(await openTestFolder(), "copy.ogg");
  writeFileSync(soundPath, "sound");
  const appApiRoutes = itemRoutes({
    items,
    documents,
    narrations,
    tasks: createInProcessTasks(database),
    preferences: createPreferences(database),
    people: createPeople(database),
    media: { playable: async () => ({ path: soundPath, type: "audio/ogg" }) },
    stopWork,
  });
  const { gateway, request: askWithKey } = await createTestGateway({ deps: { appApiRoutes } });
  const ask = (path: string, method = "GET", body?: unknown): Promise<Response> =>
    gateway.handle(
      new Request(`http://127.0.0.1${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { isTrusted: true },
    );
  const talk = items.create({
    kind: "transcript",
    title: "Jack’s talk",
    source: "file",
    state: "running",
    tags: ["a"],
  });
  documents.save(talk.id, documentHeader, transcribedSegments("ask not what", "your country"));
  return {
    items,
    documents,
    narrations,
    stopped,
    ask,
    askWithKey,
    talk,
    answer: async (...args: Parameters<typeof ask>) => (await ask(...args)).json(),
  };
}

describe("items", () => {
  it("are listed with their size, read and changed", async () => {
    const { answer, talk, items } = await window();
    writeFileSync(join(items.folder(talk.id), "source.wav"), "sound");
    await items.updateSize(talk.id);
    expect(await answer("/app/items")).toEqual({
      items: [{ ...talk, sizeBytes: 5 }],
      totalBytes: 5,
    });
    expect(await answer("/app/items?kind=narration")).toEqual({ items: [], totalBytes: 5 });
    expect(
      await answer(`/app/items/${talk.id}`, "PATCH", { title: " New ", tags: ["b", "c", "b"] }),
    ).toMatchObject({ title: "New", tags: ["b", "c"] });
    expect(await answer(`/app/items/${talk.id}`, "PATCH", { tags: [] })).toMatchObject({
      title: "New",
      tags: [],
    });
  });

  it("are removed after their work has ended, and restored", async () => {
    const { ask, answer, talk, stopped } = await window();
    expect(await answer(`/app/items/${talk.id}`, "DELETE")).toEqual({ removed: true });
    expect(stopped).toEqual([talk.id]);
    expect((await ask(`/app/items/${talk.id}`)).status).toBe(404);
    expect((await ask(`/app/items/${talk.id}/document`)).status).toBe(404);
    expect((await ask(`/app/items/${talk.id}/export?format=txt`)).status).toBe(404);
    expect((await answer("/app/items?isDeleted=true")) as object).toMatchObject({
      items: [{ id: talk.id }],
    });
    expect(await answer(`/app/items/${talk.id}/restore`, "POST", {})).toMatchObject({
      id: talk.id,
      state: "cancelled",
    });
  });

  it("are changed, removed and restored in batches, and missing ones are skipped", async () => {
    const { answer, talk, items, stopped } = await window();
    const other = items.create({ kind: "transcript", title: "Other", source: "file" });
    const both = [talk.id, other.id, "0123456789abcdef"];
    expect(
      await answer("/app/items", "PATCH", {
        changes: both.map((id) => ({ id, tags: ["x", "x", "y"] })),
      }),
    ).toMatchObject({
      items: [
        { id: talk.id, title: "Jack’s talk", tags: ["x", "y"] },
        { id: other.id, tags: ["x", "y"] },
      ],
    });
    expect(await answer("/app/items/remove", "POST", { itemIds: both })).toEqual({
      removed: [talk.id, other.id],
    });
    expect(stopped).toEqual([talk.id, other.id]);
    expect(await answer("/app/items")).toMatchObject({ items: [] });
    expect(await answer("/app/items/restore", "POST", { itemIds: both })).toMatchObject({
      items: [{ id: talk.id, tags: ["x", "y"] }, { id: other.id }],
    });
  });

  it("that are selected are exported as one archive, and so are their transcripts", async () => {
    const { ask, answer, talk, items, documents } = await window();
    const twin = items.create({ kind: "transcript", title: talk.title, source: "file" });
    documents.save(twin.id, documentHeader, transcribedSegments("another one"));
    items.create({ kind: "transcript", title: "Not selected", source: "file" });
    const { selection } = (await answer("/app/items/select", "POST", {
      itemIds: [talk.id, twin.id],
    })) as { selection: string };
    const filesOf = async (query: string) =>
      unzipSync(
        new Uint8Array(
          await (await ask(`/app/library.zip?selection=${selection}${query}`)).arrayBuffer(),
        ),
      );
    expect(Object.keys(await filesOf("")).every((name) => name.startsWith("Jack’s talk"))).toBe(
      true,
    );
    const texts = await filesOf("&format=txt");
    expect(Object.keys(texts)).toEqual(["Jack’s talk.txt", `Jack’s talk ${twin.id}.txt`]);
    expect(strFromU8(texts["Jack’s talk.txt"] as Uint8Array)).toContain("ask not what");
    expect((await ask("/app/library.zip?selection=other")).status).toBe(404);
  });

  it("are cancelled", async () => {
    const { answer, talk } = await window();
    expect(await answer(`/app/items/${talk.id}/cancel`, "POST", {})).toMatchObject({
      state: "cancelled",
    });
  });

  it("that do not exist respond with 404", async () => {
    const { ask } = await window();
    for (const [path, method] of [
      ["", "GET"],
      ["", "DELETE"],
      ["/restore", "POST"],
      ["/cancel", "POST"],
      ["/export?format=srt", "GET"],
    ] as const) {
      expect(
        (
          await ask(
            `/app/items/0123456789abcdef${path}`,
            method,
            method === "POST" ? {} : undefined,
          )
        ).status,
      ).toBe(404);
    }
  });
});

describe("a transcript", () => {
  it("is read and edited, and a conflicting edit is rejected", async () => {
    const { ask, answer, documents, talk } = await window();
    const document = documents.read(talk.id);
    expect(await answer(`/app/items/${talk.id}/document`)).toEqual(document);
    const [first] = document.segments as [DocumentSegment];
    const change = { revision: 1, put: [{ ...first, text: "Ask not what" }], remove: [1] };
    expect(await answer(`/app/items/${talk.id}/document`, "PATCH", change)).toEqual({
      revision: 2,
    });
    const late = await ask(`/app/items/${talk.id}/document`, "PATCH", change);
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { error: { code: "conflict", param: "revision" } },
    ]);
    const backwards = await ask(`/app/items/${talk.id}/document`, "PATCH", {
      revision: 2,
      put: [{ ...first, endSec: -1 }],
      remove: [],
    });
    expect(backwards.status).toBe(400);
  });

  it("is downloaded as a file named after its title", async () => {
    const { ask, items, talk } = await window();
    const response = await ask(`/app/items/${talk.id}/export?format=srt`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/x-subrip; charset=utf-8",
      "content-disposition": `attachment; filename="Jacks talk.srt"; filename*=UTF-8''Jack%E2%80%99s%20talk.srt`,
    });
    expect(await response.text()).toContain("00:00:02,000 --> 00:00:03,500\nyour country");
    expect((await ask(`/app/items/${talk.id}/export?format=exe`)).status).toBe(400);
    expect((await ask(`/app/items/${talk.id}/export?format=txt&options={"times":1}`)).status).toBe(
      400,
    );
    expect(
      await (await ask(`/app/items/${talk.id}/export?format=txt&options={"times":true}`)).text(),
    ).toMatch(/^\[0:00:00\] /);
    items.change(talk.id, { hasMedia: true });
    const page = await (await ask(`/app/items/${talk.id}/export?format=html`)).text();
    expect(page).toContain(`src="data:audio/ogg;base64,${btoa("sound")}"`);
  });
});

it("search, replace and preferences respond", async () => {
  const { ask, answer, talk } = await window();
  expect(await answer("/app/search?q=count")).toEqual({
    hits: [
      {
        itemId: talk.id,
        title: "Jack’s talk",
        segmentId: 1,
        startSec: 2,
        snippet: "your \u0001country\u0002",
      },
    ],
  });
  expect(
    await answer("/app/replace", "POST", { find: "country", replaceBy: "town" }),
  ).toMatchObject({ matches: [{ before: "your country", after: "your town" }], isDone: false });
  expect(
    await answer("/app/replace", "POST", { find: "country", replaceBy: "town", isPreview: false }),
  ).toMatchObject({ isDone: true });
  expect(await answer("/app/search?q=town")).toMatchObject({ hits: [{ segmentId: 1 }] });
  const preferences = (await answer("/app/preferences")) as object;
  expect(await answer("/app/preferences", "PATCH", { theme: "dark" })).toEqual({
    ...preferences,
    theme: "dark",
  });
  expect(await answer("/app/preferences", "PATCH", { desktop: { notifies: false } })).toMatchObject(
    { theme: "dark", desktop: { notifies: false, typesDictation: true } },
  );
  const refused = await ask("/app/preferences", "PATCH", {
    theme: "light",
    desktop: { updateFeed: "ftp://here" },
  });
  expect([
    refused.status,
    ((await refused.json()) as { error: { param: string } }).error.param,
  ]).toEqual([400, "desktop"]);
  expect(await answer("/app/preferences")).toMatchObject({ theme: "dark" });
});

const named = (item: Item, title: string, ...names: string[]) =>
  names.map((name) => `${title} ${item.id}/${name}`);

it("the whole library is one archive", async () => {
  const { ask, askWithKey, items, narrations, talk } = await window();
  mkdirSync(join(items.folder(talk.id), "takes"));
  writeFileSync(join(items.folder(talk.id), "source.wav"), "sound");
  writeFileSync(join(items.folder(talk.id), "takes", "a.wav"), "");
  const book = items.create({ kind: "narration", title: "../book", source: "text" });
  narrations.create(book.id, {
    script: "# One",
    options: { model: "tts-1", voice: "nova", speed: 1 },
  });
  const gone = items.create({ kind: "transcript", title: "gone", source: "file" });
  items.remove(gone.id);
  const response = await ask("/app/library.zip");
  expect(response.headers.get("content-type")).toBe("application/zip");
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  expect(Object.keys(files).sort()).toEqual(
    [
      ...named(
        talk,
        "Jack’s talk",
        "item.json",
        "document.json",
        "transcript.txt",
        "transcript.srt",
        "transcript.json",
        "files/source.wav",
        "files/takes/a.wav",
      ),
      ...named(book, "book", "item.json", "narration.json", "script.md"),
    ].sort(),
  );
  expect(strFromU8(files[`Jack’s talk ${talk.id}/files/source.wav`] as Uint8Array)).toBe("sound");
  expect(strFromU8(files[`book ${book.id}/script.md`] as Uint8Array)).toBe("# One");
  expect((await askWithKey("/app/library.zip")).status).toBe(200);
});
