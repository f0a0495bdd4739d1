// Calls on scripts and narrations.

import type { Call, CallClient } from "./call-client.ts";
import { options, randomSentences } from "./large-library.ts";

export function scriptCalls(
  { request, library: { bookScript } }: CallClient,
  random: () => number,
): Call[] {
  const subtitles = randomSentences(random, Math.ceil(bookScript.length / 120))
    .map((text, at) => `${at + 1}\n00:00:01,000 --> 00:00:02,000\n${text}\n`)
    .join("\n");
  return [
    { name: "/app/scripts, md", run: () => request("POST", "/app/scripts?name=a.md", bookScript) },
    {
      name: "/app/scripts, txt",
      run: () => request("POST", "/app/scripts?name=a.txt", bookScript),
    },
    { name: "/app/scripts, srt", run: () => request("POST", "/app/scripts?name=a.srt", subtitles) },
  ];
}

export function narrationCalls(client: CallClient): Call[] {
  const { app, request, get, nextEdit, library } = client;
  const { bookId, bookScript, generatedId } = library;
  return [
    {
      name: "createNarration",
      run: async () =>
        void ({ id: client.draftId } = await app("createNarration", {
          title: "",
          script: `Draft ${nextEdit()}.\n\n${bookScript.slice(100)}`,
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
          { revision, script: `Edit ${nextEdit()}.\n\n${bookScript.slice(20)}`, options },
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
    { name: "makeNarration", run: () => app("makeNarration", {}, client.draftId) },
    {
      name: "changeNarration while it is made",
      run: async () =>
        void (await app(
          "changeNarration",
          { revision: 1, script: `Draft ${nextEdit()}.\n\n${bookScript.slice(90)}`, options },
          client.draftId,
        )),
    },
    { name: "cancelItem, of a narration", run: () => app("cancelItem", {}, client.draftId) },
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
      name: "changeVocabulary",
      async run() {
        await app("changeVocabulary", { entries: [{ word: "fox", says: "fawks" }] });
        // Reverted, because sentences with a changed pronunciation count as not generated.
        await app("changeVocabulary", { entries: [] });
      },
    },
    {
      name: "changeBookDetails",
      run: () => app("changeBookDetails", { author: `Author ${nextEdit()}` }, bookId),
    },
  ];
}
