import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { appError } from "../../../support/app-error.ts";
import { narrateOptions, type NarrationSentence } from "../../../../main/contract/narration.ts";
import { maxScriptSentences } from "../../../../main/text/script/character-budget.ts";
import {
  createFakeChannel,
  type FakeChannel,
  failingIterable,
  fakeModels,
  fakeTranscript,
  toRegisteredChannel,
  streamTranscript,
  rejectOnAbort,
} from "../../../support/fake-channel.ts";
import { countTurnsDuring } from "../../../support/event-loop.ts";
import { openNarrationJobs, streamTone } from "../../../support/narration-jobs.ts";

const toneChannel = (script: Parameters<typeof createFakeChannel>[0] = {}): FakeChannel =>
  createFakeChannel({ name: "tones", synthesize: ({ text }) => streamTone(text), ...script });
const refuse = (): never => {
  throw appError("invalid_request", "No.");
};
const synthesized = ({ speechJobs }: FakeChannel): string[] =>
  speechJobs.map(({ text, voice }) => `${voice}: ${text}`);
/** Work is stored only when the test opens the gate. */
function gatedStorage() {
  const gate = Promise.withResolvers<void>();
  const isWriting = Promise.withResolvers<void>();
  const tasks: NonNullable<Parameters<typeof openNarrationJobs>[0]>["tasks"] = ({ addWork }) => ({
    async addWork(...args) {
      isWriting.resolve();
      await gate.promise;
      await addWork(...args);
    },
  });
  return { tasks, isWriting: isWriting.promise, open: gate.resolve };
}

/** Engine processes need some time to start. */
const waiting = { timeout: 10_000 };
const takesOf = (sentences: readonly NarrationSentence[]) =>
  sentences.map(({ takes }) => takes.length);

describe("generating", () => {
  it("synthesizes each sentence in its voice, in order, publishes it, and stores the channel", async () => {
    const channel = toneChannel();
    const { narrationJobs, items, create, generateAndWait, publishedEvents, usageRecords } =
      await openNarrationJobs({
        channels: [toRegisteredChannel(channel)],
      });
    const id = create("# Start\n\nOne here. Two here.\n\n[onyx] Three here.", { speed: 1.5 });
    expect(items.read(id)).toMatchObject({ title: "Start", state: "waiting", kind: "narration" });
    await generateAndWait(id);
    // Two run in parallel; which one starts first is random.
    expect([synthesized(channel).slice(0, 2).sort(), synthesized(channel).slice(2).sort()]).toEqual(
      [
        ["nova: One here.", "nova: Start"],
        ["nova: Two here.", "onyx: Three here."],
      ],
    );
    expect(channel.speechJobs[0]).toMatchObject({ model: "tts-1-hd", speed: 1.5, format: "wav" });
    expect(items.read(id)).toMatchObject({ state: "done", progress: 1, channels: ["tones"] });
    expect(
      publishedEvents.flatMap((event) =>
        event.type === "sentence" && event.sentence.takes.length > 0 ? [event.sentence.text] : [],
      ),
    ).toHaveLength(4);
    expect(usageRecords.map(({ endpoint, key, status }) => `${endpoint} ${key} ${status}`)).toEqual(
      Array(4).fill("speech window 200"),
    );
    const { sentences } = await narrationJobs.read(id);
    const [take] = sentences[3]?.takes ?? [];
    expect(take).toMatchObject({ model: "tts-1-hd", channel: "tones" });
    expect((await stat(narrationJobs.takePath(id, take?.id ?? ""))).size).toBeGreaterThan(44);
    expect(items.read(id).durationSec).toBeCloseTo(
      sentences.reduce(
        (sum, { takes, pauseSec }) => sum + (takes[0]?.durationSec ?? 0) + pauseSec,
        0,
      ),
    );
  });

  it("records an unexpected failure as one, and nothing as saved", async () => {
    const { items, create, generateAndWait, usageRecords } = await openNarrationJobs({
      channels: [
        toRegisteredChannel(
          toneChannel({
            isLocal: true,
            synthesize: () => failingIterable(() => new TypeError("it is undefined")),
          }),
        ),
      ],
    });
    const id = create("One here.");
    await generateAndWait(id);
    expect(items.read(id).state).toBe("failed");
    expect(usageRecords).toMatchObject([{ endpoint: "speech", status: 500, savedUsd: 0 }]);
  });

  it("rejects a script of too many sentences before it stores anything, and never reads a file named by a take of a foreign library", async () => {
    const { narrationJobs, items, create, dataDir } = await openNarrationJobs({
      channels: [toRegisteredChannel(toneChannel())],
    });
    const options = narrateOptions.parse({});
    await expect(
      narrationJobs.createWithDetails(
        { title: "", script: "Hi.\n\n".repeat(maxScriptSentences + 1), options },
        { author: "", cover: undefined },
      ),
    ).rejects.toMatchObject({ key: "string_too_long" });
    expect(items.list()).toEqual([]);
    const [sentence] = (await narrationJobs.read(create("One here."))).sentences;
    const id = create("One here.");
    const takeId = "../../../secret";
    const other = new DatabaseSync(join(dataDir, "hearsay.sqlite"));
    other
      .prepare(
        `INSERT INTO takes (id, item_id, sentence_id, content, duration_sec, made_at_ms, model, channel)
        SELECT ?, ?, ?, ?, 1, 1, ?, ?`,
      )
      .run(takeId, id, sentence?.id ?? "", sentence?.id ?? "", "tts-1", "local");
    other.close();
    expect(() => narrationJobs.takePath(id, takeId)).toThrow(
      expect.objectContaining({ key: "not_found" }),
    );
  });

  it("generates equal sentences once, also across narrations", async () => {
    const channel = toneChannel();
    const { narrationJobs, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const first = create("Yes. Yes. No.");
    await generateAndWait(first);
    const second = create("No. Yes.");
    await generateAndWait(second);
    expect(synthesized(channel).sort()).toEqual(["nova: No.", "nova: Yes."]);
    const own = (await narrationJobs.read(second)).sentences.map(({ takes }) => takes[0]?.id ?? "");
    for (const take of own)
      await expect(stat(narrationJobs.takePath(second, take))).resolves.toBeDefined();
    const ids = (await narrationJobs.read(first)).sentences.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it("keeps the takes of sentences that an edit does not touch", async () => {
    const channel = toneChannel();
    const { narrationJobs, items, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("One here. Two here.");
    await generateAndWait(id);
    const { revision, options } = await narrationJobs.read(id);
    const changed = await narrationJobs.change(id, {
      revision,
      script: "New first. One here. Two here, changed.",
      options,
    });
    expect(takesOf(changed.sentences)).toEqual([0, 1, 0]);
    expect(items.read(id).state).toBe("waiting");
    await generateAndWait(id);
    expect(synthesized(channel).slice(2).sort()).toEqual([
      "nova: New first.",
      "nova: Two here, changed.",
    ]);
    await expect(narrationJobs.change(id, { revision, script: "x", options })).rejects.toThrow(
      expect.objectContaining({ key: "conflict" }),
    );
  });

  it("finds the takes of a chapter again when its voice is switched back", async () => {
    const { narrationJobs, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(toneChannel())],
    });
    const script = "# First\n\nOne here.\n\n# Second\n\n[onyx] Two here.";
    const id = create(script);
    await generateAndWait(id);
    async function change(to: string): Promise<readonly NarrationSentence[]> {
      const { revision, options } = await narrationJobs.read(id);
      return (await narrationJobs.change(id, { revision, script: to, options })).sentences;
    }
    const before = (await narrationJobs.read(id)).sentences;
    expect(takesOf(await change(script.replace("onyx", "echo")))).toEqual([1, 1, 1, 0]);
    await generateAndWait(id);
    expect(await change(script)).toEqual(before);
  });

  it("includes sentences that are added while the whole script is generated", async () => {
    const gate = Promise.withResolvers<void>();
    const channel = toneChannel({
      async *synthesize({ text }) {
        if (text.startsWith("One")) await gate.promise;
        yield* streamTone(text);
      },
    });
    const { narrationJobs, create } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("One here.");
    await narrationJobs.generate(id, {});
    const { revision, options } = await narrationJobs.read(id);
    await narrationJobs.change(id, { revision, script: "One here. Two here.", options });
    gate.resolve();
    await narrationJobs.whenIdle(id);
    expect(takesOf((await narrationJobs.read(id)).sentences)).toEqual([1, 1]);
  });

  it("does not send phonemes to channels that would read them aloud", async () => {
    const channel = toneChannel();
    const { create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    await generateAndWait(create("A [tomato](/təmˈɑtoʊ/) a day."));
    expect(synthesized(channel)).toEqual(["nova: A tomato a day."]);
  });

  it("treats a line of only punctuation as silence", async () => {
    const channel = toneChannel({
      synthesize: ({ text }) =>
        text.includes("Привет")
          ? failingIterable(() => appError("nothing_to_say", "nothing"))
          : streamTone(text),
    });
    const { narrationJobs, items, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("Привет. Hello.");
    await generateAndWait(id);
    expect(items.read(id).state).toBe("done");
    expect((await narrationJobs.read(id)).sentences[0]?.takes[0]?.durationSec).toBe(0);
  });

  it("reports which sentence failed, generates the others, and can be retried", async () => {
    let fails = true;
    const channel = toneChannel({
      synthesize: ({ text }) =>
        text.startsWith("Two") && fails
          ? failingIterable(() => appError("invalid_value", "The voice is tired."))
          : streamTone(text),
    });
    const { narrationJobs, items, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("One here. Two here. Three here.");
    await generateAndWait(id);
    expect(items.read(id)).toMatchObject({
      state: "failed",
      error: "“Two here.” could not be generated: The voice is tired.",
    });
    expect(takesOf((await narrationJobs.read(id)).sentences)).toEqual([1, 0, 1]);
    fails = false;
    await generateAndWait(id);
    expect(items.read(id).state).toBe("done");
    expect(items.read(id).error).toBeUndefined();
  });
});

describe("takes", () => {
  it("get a new take number each time a sentence is generated again, equal sentences included", async () => {
    const channel = toneChannel();
    const { narrationJobs, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("One here. Two here. One here.");
    await generateAndWait(id);
    expect(channel.speechJobs.map(({ take }) => take)).toEqual([0, 0]);
    const [one, , other] = (await narrationJobs.read(id)).sentences;
    await generateAndWait(id, { sentenceIds: [one?.id ?? "", other?.id ?? ""], isNewTake: true });
    await generateAndWait(id, { sentenceIds: [one?.id ?? ""], isNewTake: true });
    expect(
      channel.speechJobs
        .map(({ take }) => take)
        .slice(2)
        .sort(),
    ).toEqual([1, 2, 3]);
  });

  it("are all kept; the newest is used until another is chosen", async () => {
    const { narrationJobs, create, generateAndWait } = await openNarrationJobs({
      channels: [toRegisteredChannel(toneChannel())],
    });
    const id = create("One here. Two here.");
    await generateAndWait(id);
    const [one] = (await narrationJobs.read(id)).sentences;
    await generateAndWait(id, { sentenceIds: [one?.id ?? ""], isNewTake: true });
    const [again] = (await narrationJobs.read(id)).sentences;
    expect(again?.takes.map((take) => take.id)).toHaveLength(2);
    expect(again?.chosenTake).toBe(again?.takes[1]?.id);
    await narrationJobs.chooseTake(id, one?.id ?? "", one?.takes[0]?.id ?? "");
    expect((await narrationJobs.read(id)).sentences[0]?.chosenTake).toBe(one?.takes[0]?.id);
    await expect(narrationJobs.chooseTake(id, one?.id ?? "", "none")).rejects.toThrow(
      expect.objectContaining({ key: "not_found" }),
    );
  });
});

describe("an end of the app", () => {
  it("is followed by resumed work, and nothing is generated twice", async () => {
    let requestCount = 0;
    const stuck = toneChannel({
      async *synthesize({ text }, signal) {
        requestCount += 1;
        if (requestCount > 2) await rejectOnAbort(signal);
        yield* streamTone(text);
      },
    });
    const before = await openNarrationJobs({ channels: [toRegisteredChannel(stuck)] });
    const id = before.create("One here. Two here. Three here. Four here.");
    await before.narrationJobs.generate(id, {});
    await expect
      .poll(async () => takesOf((await before.narrationJobs.read(id)).sentences), waiting)
      .toEqual([1, 1, 0, 0]);
    await before.close();

    const channel = toneChannel();
    const after = await openNarrationJobs({
      dataDir: before.dataDir,
      channels: [toRegisteredChannel(channel)],
    });
    expect(after.items.read(id).state).toBe("running");
    await after.narrationJobs.resume();
    await after.narrationJobs.whenIdle(id);
    expect(synthesized(channel).sort()).toEqual(["nova: Four here.", "nova: Three here."]);
    expect(after.items.read(id).state).toBe("done");
  });

  it("does not resume cancelled work, and keeps what was generated", async () => {
    const channel = toneChannel({
      async *synthesize({ text }, signal) {
        if (!text.startsWith("One")) await rejectOnAbort(signal);
        yield* streamTone(text);
      },
    });
    const { narrationJobs, items, create } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
    });
    const id = create("One here. Two here. Three here.");
    await narrationJobs.generate(id, {});
    await expect
      .poll(async () => takesOf((await narrationJobs.read(id)).sentences), waiting)
      .toEqual([1, 0, 0]);
    await narrationJobs.cancel(id);
    expect(items.read(id).state).toBe("cancelled");
    await narrationJobs.resume();
    expect(items.read(id).state).toBe("cancelled");
  });

  it("does not resume work that was cancelled just before the app closed", async () => {
    const channel = toneChannel({
      async *synthesize(_, signal) {
        await rejectOnAbort(signal);
        yield* streamTone("");
      },
    });
    const before = await openNarrationJobs({ channels: [toRegisteredChannel(channel)] });
    const id = before.create("One here. Two here.");
    await before.narrationJobs.generate(id, {});
    await expect.poll(() => channel.speechJobs.length, waiting).toBeGreaterThan(0);
    const cancelling = before.narrationJobs.cancel(id);
    await Promise.all([cancelling, before.close()]);

    const after = await openNarrationJobs({
      dataDir: before.dataDir,
      channels: [toRegisteredChannel(toneChannel())],
    });
    await after.narrationJobs.resume();
    await after.narrationJobs.whenIdle(id);
    expect(after.items.read(id).state).toBe("cancelled");
    expect(takesOf((await after.narrationJobs.read(id)).sentences)).toEqual([0, 0]);
  });

  it("never starts work that was cancelled before it was stored", async () => {
    const channel = toneChannel();
    const storage = gatedStorage();
    const { narrationJobs, items, create } = await openNarrationJobs({
      channels: [toRegisteredChannel(channel)],
      tasks: storage.tasks,
    });
    const id = create("One here. Two here.");
    const generating = narrationJobs.generate(id, {});
    await storage.isWriting;
    const cancelling = narrationJobs.cancel(id);
    storage.open();
    await cancelling;
    expect(items.read(id).state).toBe("cancelled");
    expect((await generating).state).toBe("cancelled");
    await narrationJobs.resume();
    await narrationJobs.whenIdle(id);
    expect(synthesized(channel)).toEqual([]);
  });

  it("is followed by the work that was being stored at the time", async () => {
    const storage = gatedStorage();
    const early = toneChannel();
    const before = await openNarrationJobs({
      channels: [toRegisteredChannel(early)],
      tasks: storage.tasks,
    });
    const id = before.create("One here. Two here.");
    const generating = before.narrationJobs.generate(id, {});
    await storage.isWriting;
    const closing = before.close();
    storage.open();
    await Promise.all([generating, closing]);
    expect(synthesized(early)).toEqual([]);

    const ending = await openNarrationJobs({
      dataDir: before.dataDir,
      channels: [toRegisteredChannel(early)],
    });
    const resuming = ending.narrationJobs.resume();
    await Promise.all([ending.narrationJobs.close(), resuming]);
    await ending.narrationJobs.whenIdle(id);
    await ending.close();
    expect(synthesized(early)).toEqual([]);

    const channel = toneChannel();
    const after = await openNarrationJobs({
      dataDir: before.dataDir,
      channels: [toRegisteredChannel(channel)],
    });
    await after.narrationJobs.resume();
    await after.narrationJobs.whenIdle(id);
    expect(synthesized(channel).sort()).toEqual(["nova: One here.", "nova: Two here."]);
  });

  it("is followed by every sentence that could not be generated during the shutdown", async () => {
    const ending = toneChannel({
      synthesize: () => failingIterable(() => appError("closing", "Hearsay is shutting down.")),
    });
    const before = await openNarrationJobs({ channels: [toRegisteredChannel(ending)] });
    const id = before.create("One here. Two here. Three here.");
    await before.generateAndWait(id);
    await before.close();
    const after = await openNarrationJobs({
      dataDir: before.dataDir,
      channels: [toRegisteredChannel(toneChannel())],
    });
    await after.narrationJobs.resume();
    await after.narrationJobs.whenIdle(id);
    expect(takesOf((await after.narrationJobs.read(id)).sentences)).toEqual([1, 1, 1]);
  });
});

it(
  "keeps a script readable with too many sentences from an earlier version, so that it can be shortened",
  { timeout: 60_000 },
  async () => {
    const channel = toneChannel();
    const before = await openNarrationJobs({ channels: [toRegisteredChannel(channel)] });
    const long = before.create("Hi.\n\n".repeat(maxScriptSentences + 1));
    const other = before.create("One here.");
    const rows = new DatabaseSync(join(before.dataDir, "hearsay.sqlite"));
    for (const id of [long, other])
      rows
        .prepare("INSERT INTO narration_work (item_id, sentence_id, task) VALUES (?, 'x', 'make')")
        .run(id);
    rows.close();
    await before.close();

    const { narrationJobs, items } = await openNarrationJobs({
      dataDir: before.dataDir,
      channels: [toRegisteredChannel(channel)],
    });
    await narrationJobs.resume();
    await Promise.all([narrationJobs.whenIdle(long), narrationJobs.whenIdle(other)]);
    expect(items.read(other)).toMatchObject({ state: "waiting" });
    expect(items.read(long)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("Split it into several narrations") as string,
    });
    const { revision, options, ...shown } = await narrationJobs.read(long);
    expect(shown).toMatchObject({
      script: expect.stringMatching(/^Hi\./) as string,
      sentences: [],
    });
    const tooLong = expect.objectContaining({ key: "string_too_long" }) as Error;
    await expect(narrationJobs.generate(long, {})).rejects.toThrow(tooLong);
    await expect(
      narrationJobs.change(long, { revision, options, script: `${shown.script}More.` }),
    ).rejects.toThrow(tooLong);
    await narrationJobs.setVocabulary([{ word: "hi", says: "high", heard: "" }]);
    expect(
      (await narrationJobs.change(long, { revision, options, script: "One here." })).sentences,
    ).toHaveLength(1);
    await narrationJobs.generate(long, {});
    await narrationJobs.whenIdle(long);
    expect(items.read(long).state).toBe("done");
  },
);

describe("pronunciations", () => {
  it("make the affected sentences stale, and their takes are found again when the change is reverted", async () => {
    const channel = toneChannel();
    const { narrationJobs, items, create, generateAndWait, publishedEvents } =
      await openNarrationJobs({
        channels: [toRegisteredChannel(channel)],
      });
    const id = create("Mr. Nguyen came. He left.");
    await generateAndWait(id);
    publishedEvents.length = 0;
    await narrationJobs.setVocabulary([{ word: "nguyen", says: "win", heard: "" }]);
    const { sentences } = await narrationJobs.read(id);
    expect(sentences.map(({ text, takes }) => [text, takes.length])).toEqual([
      ["Mr. win came.", 0],
      ["He left.", 1],
    ]);
    expect(items.read(id).state).toBe("waiting");
    expect(publishedEvents).toContainEqual({ type: "document", itemId: id, revision: 1 });
    await narrationJobs.setVocabulary([]);
    expect(takesOf((await narrationJobs.read(id)).sentences)).toEqual([1, 1]);
    expect(items.read(id).state).toBe("done");
  });
});

it("reports the languages of a script that no voice here speaks, also of single paragraphs", async () => {
  const { narrationJobs, create } = await openNarrationJobs();
  const languagesOf = async (script: string): Promise<readonly string[]> =>
    (await narrationJobs.read(create(script))).otherLanguages;
  expect(await languagesOf("Guten Morgen! Wie geht es dir heute?")).toEqual(["de"]);
  const spanish =
    "El barco sale del puerto por la mañana, y es el único que hay en la ciudad. नमस्ते";
  expect(await narrationJobs.read(create(spanish))).toMatchObject({
    unspeakable: [],
    otherLanguages: [],
  });
  const english = "Good morning! How are you today? The boat leaves the harbour with the tide.";
  expect(await languagesOf(english)).toEqual([]);
  const german = "Das Schiff verlässt den Hafen. Es ist das einzige, das wir hier haben.";
  const french = "Le bateau quitte le port dans la nuit, et il est le seul qui reste.";
  expect(await languagesOf([english, german, spanish, french, english].join("\n\n"))).toEqual([
    "de",
    "fr",
  ]);
  expect(await languagesOf(`${english}\n\n[de] Gute Nacht.`)).toEqual(["de"]);
  // Too short to be sure.
  expect(await languagesOf(`${english}\n\nVan der Meer lachte laut.`)).toEqual([]);
  const elsewhere = await openNarrationJobs({ channels: [toRegisteredChannel(toneChannel())] });
  expect(
    (await elsewhere.narrationJobs.read(elsewhere.create("Guten Morgen! Wie geht es dir heute?")))
      .otherLanguages,
  ).toEqual([]);
});

it("keeps which voice spoke a take, if it is not the chosen one", async () => {
  const channel = toneChannel({
    async *synthesize({ text, voice }) {
      const takenOverBy = voice === "nova" && text.includes("¿") ? ["ef_dora"] : [];
      for await (const chunk of streamTone(text)) yield { ...chunk, casting: { takenOverBy } };
    },
  });
  const { narrationJobs, create, generateAndWait } = await openNarrationJobs({
    channels: [toRegisteredChannel(channel)],
  });
  const script = "Where are you?\n\n¿Dónde estás?";
  // The second one gets copies of the takes.
  for (const id of [create(script), create(script)]) {
    await generateAndWait(id);
    const { sentences } = await narrationJobs.read(id);
    expect(sentences.map(({ spokenBy }) => spokenBy)).toEqual([undefined, "ef_dora"]);
  }
});

it("records which channels received text or audio, also when they failed", async () => {
  const synthesizer = toneChannel({
    models: fakeModels.filter(({ kind }) => kind === "text-to-speech"),
    name: "synthesizer",
  });
  const silent = createFakeChannel({
    name: "silent",
    models: [{ id: "failing-tts", created: 0, ownedBy: "x", kind: "text-to-speech" }],
    synthesize: refuse,
  });
  const recognizer = createFakeChannel({
    name: "recognizer",
    models: fakeModels.filter(({ kind }) => kind === "speech-to-text"),
    transcribe: refuse,
  });
  const { narrationJobs, create, generateAndWait, items } = await openNarrationJobs({
    channels: [
      toRegisteredChannel(synthesizer),
      toRegisteredChannel(silent),
      toRegisteredChannel(recognizer),
    ],
  });
  const other = create("One here.", { model: "failing-tts" });
  await generateAndWait(other);
  expect(items.read(other)).toMatchObject({ state: "failed", channels: ["silent"] });
  // Words that do not tell their language.
  const id = create("Elephant tomato avocado giraffe.");
  await generateAndWait(id);
  expect(items.read(id).channels).toEqual(["synthesizer"]);
  await narrationJobs.checkSentences(id);
  await narrationJobs.whenIdle(id);
  expect(items.read(id).channels).toEqual(["synthesizer", "recognizer"]);
});

it("transcribes its own speech and lists the words that are missing", async () => {
  const channel = toneChannel({
    transcribe: (job) =>
      streamTranscript({ ...fakeTranscript(job), text: "One hear too, I said.", segments: [] }),
  });
  const { narrationJobs, create, generateAndWait, items } = await openNarrationJobs({
    channels: [toRegisteredChannel(channel)],
  });
  const id = create("One here, two, I said. One elephant.");
  await expect(narrationJobs.checkSentences(id)).rejects.toThrow(
    expect.objectContaining({ key: "invalid_request" }),
  );
  await generateAndWait(id);
  await narrationJobs.checkSentences(id);
  await narrationJobs.whenIdle(id);
  expect((await narrationJobs.read(id)).sentences.map(({ missed }) => missed)).toEqual([
    [],
    ["elephant"],
  ]);
  expect(items.read(id).state).toBe("done");
});

it.each([
  [true, "en"],
  [false, undefined],
])("transcribes in English only what is English (%s)", async (speaksOnlyEnglish, language) => {
  const languages: (string | undefined)[] = [];
  const channel = toneChannel({
    transcribe(job) {
      languages.push(job.language);
      return streamTranscript(fakeTranscript(job));
    },
  });
  const { narrationJobs, create, generateAndWait } = await openNarrationJobs({
    channels: [toRegisteredChannel(channel)],
    speaksOnlyEnglish,
  });
  // Words that do not tell their language.
  const id = create("Elephant tomato avocado giraffe.");
  await generateAndWait(id);
  await narrationJobs.checkSentences(id);
  await narrationJobs.whenIdle(id);
  expect(languages).toEqual([language]);
});

it("does not block the event loop while it processes a long script", async () => {
  const { narrationJobs, create, items } = await openNarrationJobs({
    channels: [toRegisteredChannel(toneChannel())],
  });
  const script = Array.from({ length: 10_000 }, (_, at) => `Sentence number ${at} is here.`).join(
    " ",
  );
  const id = create(script);
  expect(await countTurnsDuring(() => narrationJobs.read(id))).toBeGreaterThan(5);
  const { revision, options, sentences } = await narrationJobs.read(id);
  expect(sentences).toHaveLength(10_000);
  expect(
    await countTurnsDuring(() =>
      narrationJobs.change(id, { revision, options, script: `First. ${script}` }),
    ),
  ).toBeGreaterThan(5);
  await narrationJobs.generate(id, {});
  expect(items.read(id).state).toBe("running");
  await narrationJobs.cancel(id);
  expect(items.read(id)).toMatchObject({ state: "cancelled" });
  expect(items.read(id).progress).toBeLessThan(1);
});
