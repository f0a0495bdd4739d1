// All requests of the window that need no provider, on the items of large-library.ts.

import { randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { wavHeader } from "../../../main/audio/codec/framing.ts";
import { commandLinePath } from "../../../main/contract/command-line-api.ts";
import { api, type ApiName } from "../../../main/contract/api.ts";
import { transcriptExports } from "../../../main/contract/studio.ts";
import type { HearsayProcess } from "../../support/hearsay-process.ts";
import { options, randomSentences, type LargeLibrary } from "./large-library.ts";

export type Call = { name: string; run(): Promise<unknown> };

export type CallContext = {
  library: LargeLibrary;
  /** Archive of a library with other items. */
  archivePath: string;
  /** Duration of the uploaded audio. */
  soundSec: number;
  random(): number;
};

const sampleRateHz = 16_000;

export function createCalls(
  hearsay: HearsayProcess,
  { library, archivePath, soundSec, random }: CallContext,
): Call[] {
  const { bookId, generatedId, transcripts, bookScript } = library;
  const [first = "", second = ""] = transcripts;
  const { app } = hearsay;
  const origin = new URL(hearsay.baseUrl).origin;
  let edits = 0;

  async function request(
    method: "GET" | "POST",
    path: string,
    body?: string | Blob | Uint8Array<ArrayBuffer>,
  ): Promise<Buffer> {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${hearsay.key}` },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok)
      throw new Error(
        `${method} ${path} was answered ${response.status}: ${bytes.subarray(0, 500).toString()}`,
      );
    return bytes;
  }
  const post = async <Answer>(
    path: string,
    body?: string | Blob | Uint8Array<ArrayBuffer>,
  ): Promise<Answer> => JSON.parse((await request("POST", path, body)).toString()) as Answer;
  const get = (name: string, path: string): Call => ({ name, run: () => request("GET", path) });

  const readCalls = (Object.keys(api) as ApiName[]).filter(
    (name) =>
      api[name].method === "GET" &&
      !api[name].path.includes(":") &&
      !api[name].path.startsWith(commandLinePath) &&
      name !== "search",
  );
  const subtitles = randomSentences(random, Math.ceil(bookScript.length / 120))
    .map((text, at) => `${at + 1}\n00:00:01,000 --> 00:00:02,000\n${text}\n`)
    .join("\n");
  const search = (name: string, q: string) =>
    get(`search, ${name}`, `/app/search?q=${encodeURIComponent(q)}`);
  const sound = Buffer.concat([
    wavHeader(sampleRateHz, soundSec * sampleRateHz),
    ...Array.from({ length: soundSec }, () => randomBytes(2 * sampleRateHz)),
  ]);
  let uploaded = "";
  let recording = "";
  let draft = "";

  /** Changes all segments of a transcript at once, as naming a speaker does. */
  async function nameSpeakers(): Promise<void> {
    const { revision, segments } = await app("readDocument", undefined, first);
    edits += 1;
    await app(
      "changeDocument",
      {
        revision,
        put: segments.map((segment) => ({ ...segment, speaker: `Anna ${edits}` })),
        remove: [],
      },
      first,
    );
  }

  return [
    ...readCalls.map((name) => ({ name: name, run: () => app(name) })),

    // Texts.
    { name: "/app/scripts, md", run: () => request("POST", "/app/scripts?name=a.md", bookScript) },
    {
      name: "/app/scripts, txt",
      run: () => request("POST", "/app/scripts?name=a.txt", bookScript),
    },
    { name: "/app/scripts, srt", run: () => request("POST", "/app/scripts?name=a.srt", subtitles) },

    // Narrations.
    {
      name: "createNarration",
      run: async () =>
        void ({ id: draft } = await app("createNarration", {
          title: "",
          script: `Draft ${(edits += 1)}.\n\n${bookScript.slice(100)}`,
          options,
        })),
    },
    { name: "readNarration", run: () => app("readNarration", undefined, bookId) },
    {
      name: "changeNarration",
      async run() {
        const { revision } = await app("readNarration", undefined, bookId);
        await app(
          "changeNarration",
          { revision, script: `Edit ${(edits += 1)}.\n\n${bookScript.slice(20)}`, options },
          bookId,
        );
      },
    },
    {
      name: "chooseTake",
      async run() {
        const { sentences } = await app("readNarration", undefined, bookId);
        const sentence = sentences.find(({ takes }) => takes.length > 1);
        const other = sentence?.takes.find(({ id }) => id !== sentence.chosenTake);
        await app(
          "chooseTake",
          { sentenceId: sentence?.id ?? "", takeId: other?.id ?? "" },
          bookId,
        );
      },
    },
    { name: "makeNarration", run: () => app("makeNarration", {}, draft) },
    {
      name: "changeNarration while it is made",
      run: async () =>
        void (await app(
          "changeNarration",
          { revision: 1, script: `Draft ${(edits += 1)}.\n\n${bookScript.slice(90)}`, options },
          draft,
        )),
    },
    { name: "cancelItem, of a narration", run: () => app("cancelItem", {}, draft) },
    { name: "checkReading", run: () => app("checkReading", {}, generatedId) },
    { name: "cancelItem, of a check", run: () => app("cancelItem", {}, generatedId) },
    get("narration-peaks", `/app/items/${generatedId}/narration-peaks`),
    {
      name: "narration-file",
      run: () =>
        request(
          "POST",
          `/app/items/${generatedId}/narration-file`,
          JSON.stringify({ format: "mp3", subtitles: "srt" }),
        ),
    },
    {
      name: "take",
      async run() {
        const { sentences } = await app("readNarration", undefined, generatedId);
        await request("GET", `/app/items/${generatedId}/takes/${sentences[0]?.chosenTake}`);
      },
    },
    {
      name: "changePronunciations",
      async run() {
        await app("changePronunciations", { entries: [{ word: "fox", says: "fawks" }] });
        // Reverted, because sentences with a changed pronunciation count as not generated.
        await app("changePronunciations", { entries: [] });
      },
    },
    {
      name: "changeBookDetails",
      run: () => app("changeBookDetails", { author: `Author ${(edits += 1)}` }, bookId),
    },

    // Transcripts.
    { name: "readDocument", run: () => app("readDocument", undefined, first) },
    {
      name: "changeDocument",
      async run() {
        const { revision, segments } = await app("readDocument", undefined, first);
        await app(
          "changeDocument",
          {
            revision,
            put: segments
              .slice(0, 1)
              .map((segment) => ({ ...segment, text: `Edit ${(edits += 1)}`, words: [] })),
            remove: [],
          },
          first,
        );
      },
    },
    { name: "changeDocument, all segments", run: nameSpeakers },
    ...transcriptExports.map((format) =>
      get(`export, ${format}`, `/app/items/${first}/export?format=${format}`),
    ),
    search("of a script", "quick fox"),
    search("of everything", "the"),
    search("of neighbours", "kettles harbour tides quick"),
    {
      name: "replace, preview",
      run: () =>
        app("replace", {
          find: "kettle",
          replaceBy: "pot",
          isCaseSensitive: false,
          isPreview: true,
          itemIds: [second],
        }),
    },
    {
      name: "replace",
      async run() {
        const [find, replaceBy] =
          (edits += 1) % 2 === 0 ? ["kettle", "qettle"] : ["qettle", "kettle"];
        await app("replace", {
          find,
          replaceBy,
          isCaseSensitive: false,
          isPreview: false,
          itemIds: [second],
        });
        await app("replace", {
          find: replaceBy,
          replaceBy: find,
          isCaseSensitive: false,
          isPreview: false,
          itemIds: [second],
        });
      },
    },

    // Audio.
    {
      name: "/app/uploads",
      run: async () =>
        void ({ id: uploaded } = await post<{ id: string }>("/app/uploads?name=hour.wav", sound)),
    },
    { name: "cancelItem, of a transcript", run: () => app("cancelItem", {}, uploaded) },
    { name: "peaks", run: () => request("GET", `/app/items/${uploaded}/peaks`) },
    { name: "media", run: () => request("GET", `/app/items/${uploaded}/media`) },
    { name: "transcribeItem", run: () => app("transcribeItem", {}, uploaded) },
    { name: "cancelItem, of another", run: () => app("cancelItem", {}, uploaded) },
    {
      name: "/app/recordings",
      run: async () =>
        void ({ id: recording } = await post<{ id: string }>("/app/recordings?title=Talk")),
    },
    {
      name: "/app/recordings/:id/sound",
      run: () =>
        request(
          "POST",
          `/app/recordings/${recording}/sound?from=0`,
          sound.subarray(44, 44 + 60 * 2 * sampleRateHz),
        ),
    },
    {
      name: "/app/recordings/:id/end",
      run: () => request("POST", `/app/recordings/${recording}/end`),
    },
    { name: "removeItem, of a recording", run: () => app("removeItem", undefined, recording) },

    // The library.
    get("/app/library.zip", "/app/library.zip"),
    {
      name: "/app/library.zip, selection",
      async run() {
        const { selection } = await app("selectItems", { itemIds: transcripts });
        await request("GET", `/app/library.zip?selection=${selection}&format=docx`);
      },
    },
    {
      name: "/app/library/import",
      run: async () => request("POST", "/app/library/import", await openAsBlob(archivePath)),
    },
    {
      name: "changeItems",
      run: () =>
        app("changeItems", {
          changes: [bookId, ...transcripts].map((id) => ({ id, tags: [`tag ${(edits += 1)}`] })),
        }),
    },
    {
      name: "removeItems",
      run: () => app("removeItems", { itemIds: [bookId, generatedId, ...transcripts] }),
    },
    {
      name: "restoreItems",
      run: () => app("restoreItems", { itemIds: [bookId, generatedId, ...transcripts] }),
    },
    { name: "removeItem", run: () => app("removeItem", undefined, draft) },
  ];
}
