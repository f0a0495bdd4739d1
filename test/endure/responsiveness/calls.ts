// All that the window asks for and that needs no provider, on the things of large-library.ts.

import { randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { wavHeader } from "../../../main/audio/codec/framing.ts";
import { api, type ApiName } from "../../../main/contract/api.ts";
import { transcriptExports } from "../../../main/contract/studio.ts";
import type { HearsayProcess } from "../../support/hearsay-process.ts";
import { options, sentencesOf, type LargeLibrary } from "./large-library.ts";

export type Call = { what: string; run(): Promise<unknown> };

export type CallContext = {
  library: LargeLibrary;
  /** Of a library with other items. */
  archivePath: string;
  /** Of the sound that is uploaded. */
  soundSec: number;
  random(): number;
};

const rateHz = 16_000;

export function callsOf(
  hearsay: HearsayProcess,
  { library, archivePath, soundSec, random }: CallContext,
): Call[] {
  const { book, made, transcripts, bookScript } = library;
  const [first = "", second = ""] = transcripts;
  const { app } = hearsay;
  const origin = new URL(hearsay.baseUrl).origin;
  let edits = 0;

  async function send(
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
  ): Promise<Answer> => JSON.parse((await send("POST", path, body)).toString()) as Answer;
  const get = (what: string, path: string): Call => ({ what, run: () => send("GET", path) });

  const reads = (Object.keys(api) as ApiName[]).filter(
    (name) => api[name].method === "GET" && !api[name].path.includes(":") && name !== "search",
  );
  const subtitles = sentencesOf(random, Math.ceil(bookScript.length / 120))
    .map((text, at) => `${at + 1}\n00:00:01,000 --> 00:00:02,000\n${text}\n`)
    .join("\n");
  const search = (what: string, q: string) =>
    get(`search, ${what}`, `/app/search?q=${encodeURIComponent(q)}`);
  const sound = Buffer.concat([
    wavHeader(rateHz, soundSec * rateHz),
    ...Array.from({ length: soundSec }, () => randomBytes(2 * rateHz)),
  ]);
  let uploaded = "";
  let recording = "";
  let draft = "";

  /** Changes all segments of a transcript at once, as a person who names speakers does. */
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
    ...reads.map((name) => ({ what: name, run: () => app(name) })),

    // Texts.
    { what: "/app/scripts, md", run: () => send("POST", "/app/scripts?name=a.md", bookScript) },
    { what: "/app/scripts, txt", run: () => send("POST", "/app/scripts?name=a.txt", bookScript) },
    { what: "/app/scripts, srt", run: () => send("POST", "/app/scripts?name=a.srt", subtitles) },

    // Narrations.
    {
      what: "createNarration",
      run: async () =>
        void ({ id: draft } = await app("createNarration", {
          title: "",
          script: `Draft ${(edits += 1)}.\n\n${bookScript.slice(100)}`,
          options,
        })),
    },
    { what: "readNarration", run: () => app("readNarration", undefined, book) },
    {
      what: "changeNarration",
      async run() {
        const { revision } = await app("readNarration", undefined, book);
        await app(
          "changeNarration",
          { revision, script: `Edit ${(edits += 1)}.\n\n${bookScript.slice(20)}`, options },
          book,
        );
      },
    },
    {
      what: "chooseTake",
      async run() {
        const { sentences } = await app("readNarration", undefined, book);
        const sentence = sentences.find(({ takes }) => takes.length > 1);
        const other = sentence?.takes.find(({ id }) => id !== sentence.chosenTake);
        await app("chooseTake", { sentenceId: sentence?.id ?? "", takeId: other?.id ?? "" }, book);
      },
    },
    { what: "makeNarration", run: () => app("makeNarration", {}, draft) },
    {
      what: "changeNarration while it is made",
      run: async () =>
        void (await app(
          "changeNarration",
          { revision: 1, script: `Draft ${(edits += 1)}.\n\n${bookScript.slice(90)}`, options },
          draft,
        )),
    },
    { what: "cancelItem, of a narration", run: () => app("cancelItem", {}, draft) },
    { what: "checkReading", run: () => app("checkReading", {}, made) },
    { what: "cancelItem, of a check", run: () => app("cancelItem", {}, made) },
    get("narration-peaks", `/app/items/${made}/narration-peaks`),
    {
      what: "narration-file",
      run: () =>
        send(
          "POST",
          `/app/items/${made}/narration-file`,
          JSON.stringify({ format: "mp3", subtitles: "srt" }),
        ),
    },
    {
      what: "take",
      async run() {
        const { sentences } = await app("readNarration", undefined, made);
        await send("GET", `/app/items/${made}/takes/${sentences[0]?.chosenTake}`);
      },
    },
    {
      what: "changePronunciations",
      async run() {
        await app("changePronunciations", { entries: [{ word: "fox", says: "fawks" }] });
        // As it was: sentences that are read in another way are not made.
        await app("changePronunciations", { entries: [] });
      },
    },
    {
      what: "changeBookDetails",
      run: () => app("changeBookDetails", { author: `Author ${(edits += 1)}` }, book),
    },

    // Transcripts.
    { what: "readDocument", run: () => app("readDocument", undefined, first) },
    {
      what: "changeDocument",
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
    { what: "changeDocument, all segments", run: nameSpeakers },
    ...transcriptExports.map((format) =>
      get(`export, ${format}`, `/app/items/${first}/export?format=${format}`),
    ),
    search("of a script", "quick fox"),
    search("of everything", "the"),
    search("of neighbours", "kettles harbour tides quick"),
    {
      what: "replace, preview",
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
      what: "replace",
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

    // Sound.
    {
      what: "/app/uploads",
      run: async () =>
        void ({ id: uploaded } = await post<{ id: string }>("/app/uploads?name=hour.wav", sound)),
    },
    { what: "cancelItem, of a transcript", run: () => app("cancelItem", {}, uploaded) },
    { what: "peaks", run: () => send("GET", `/app/items/${uploaded}/peaks`) },
    { what: "media", run: () => send("GET", `/app/items/${uploaded}/media`) },
    { what: "transcribeItem", run: () => app("transcribeItem", {}, uploaded) },
    { what: "cancelItem, of another", run: () => app("cancelItem", {}, uploaded) },
    {
      what: "/app/recordings",
      run: async () =>
        void ({ id: recording } = await post<{ id: string }>("/app/recordings?title=Talk")),
    },
    {
      what: "/app/recordings/:id/sound",
      run: () =>
        send(
          "POST",
          `/app/recordings/${recording}/sound?from=0`,
          sound.subarray(44, 44 + 60 * 2 * rateHz),
        ),
    },
    {
      what: "/app/recordings/:id/end",
      run: () => send("POST", `/app/recordings/${recording}/end`),
    },
    { what: "removeItem, of a recording", run: () => app("removeItem", undefined, recording) },

    // The library.
    get("/app/library.zip", "/app/library.zip"),
    {
      what: "/app/library.zip, selection",
      async run() {
        const { selection } = await app("selectItems", { itemIds: transcripts });
        await send("GET", `/app/library.zip?selection=${selection}&format=docx`);
      },
    },
    {
      what: "/app/library/import",
      run: async () => send("POST", "/app/library/import", await openAsBlob(archivePath)),
    },
    {
      what: "changeItems",
      run: () =>
        app("changeItems", {
          changes: [book, ...transcripts].map((id) => ({ id, tags: [`tag ${(edits += 1)}`] })),
        }),
    },
    {
      what: "removeItems",
      run: () => app("removeItems", { itemIds: [book, made, ...transcripts] }),
    },
    {
      what: "restoreItems",
      run: () => app("restoreItems", { itemIds: [book, made, ...transcripts] }),
    },
    { what: "removeItem", run: () => app("removeItem", undefined, draft) },
  ];
}
