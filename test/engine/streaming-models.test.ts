// A streaming model beside those of the app: it takes speech that goes on, and files if it is asked for by name. Real
// engines, over the session that recordings, captions and /v1/realtime share; nobody waits for the time to pass.

import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { floatToPcm, joinSamples } from "../../main/audio/codec/pcm.ts";
import type { DraftJob, DraftTranscript } from "../../main/contract/speech.ts";
import { createLiveSession } from "../../main/jobs/transcription/live/live-session.ts";
import { createModelRecognizer } from "../../main/jobs/transcription/live/model-recognizer.ts";
import { shippedModel, shippedModels } from "../../main/models/shipped-models.ts";
import { openLocalChannel } from "../support/app.ts";
import { createTestGateway, toRegisteredChannel } from "../support/gateway-server.ts";
import { localModels } from "../support/local-models.ts";
import { silence, wavFile } from "../support/test-audio.ts";
import { openTestFolder, resampleTo16kHz, synthesizeSamples } from "../support/test-data.ts";
import { writeStreamingZipformer } from "../support/tiny-streaming-zipformer.ts";

const rateHz = 16_000;
const stepSec = 0.1;
/** Of what the tiny model recognizes. */
const wordSec = 0.48;
let speech: Float32Array;
beforeAll(async () => {
  const sentence = await synthesizeSamples("Good morning, everybody. How are you all today?");
  const pause = silence(1, rateHz);
  speech = joinSamples([pause, await resampleTo16kHz(sentence), pause, pause]);
});

async function open() {
  const dir = await openTestFolder();
  const streaming = writeStreamingZipformer(join(dir, "model"));
  const { channel, pool, close } = await openLocalChannel({
    local: localModels([...shippedModels(), streaming]),
  });
  onTestFinished(close);
  const { deps, request } = await createTestGateway({ channels: [toRegisteredChannel(channel)] });
  return { pool, dir, router: deps.router, request, streaming };
}

type DraftPass = { job: DraftJob; draft: DraftTranscript | undefined };

/** Speech into a session, as fast as it is recognized. */
async function recognizeLive(model: string) {
  const { pool, dir, router } = await open();
  const passes: DraftPass[] = [];
  let drafting: Promise<unknown> = Promise.resolve();
  const recognizer = createModelRecognizer(
    {
      pool,
      tempDir: () => dir,
      vad: shippedModel("silero-vad"),
      vocabulary: () => [],
      router: {
        ...router,
        async draft(job, signal) {
          const draft = router.draft(job, signal);
          drafting = draft.catch(() => {});
          passes.push({ job, draft: await draft });
          return draft;
        },
      },
    },
    { options: { model, language: "en", translate: false, temperature: 0 }, caller: "window" },
  );
  const shown: string[] = [];
  const settled: string[] = [];
  const failures: unknown[] = [];
  let nowMs = 0;
  let searched = Promise.withResolvers<void>();
  const pcm = floatToPcm(speech);
  const session = createLiveSession({
    recognizer,
    read: (from, to) => Promise.resolve(pcm.subarray(2 * from, 2 * to)),
    onDraft: (draft) => void shown.push(draft.settled + draft.unsettled),
    onSettled: (_, segments) => void settled.push(...segments.map(({ text }) => text)),
    onStep: () => searched.resolve(),
    onFailure: (error) => failures.push(error),
    now: () => nowMs,
  });
  for (let sec = stepSec; sec * rateHz < speech.length; sec += stepSec) {
    nowMs += 1000 * stepSec;
    searched = Promise.withResolvers();
    session.onSamples(Math.round(sec * rateHz));
    await searched.promise;
    await drafting;
  }
  await session.endSpeech();
  await session.close();
  return { passes, shown, settled: settled.join(" "), failures };
}

it("follows speech with the streaming model, and settles it with the one that transcribes files", async () => {
  const { passes, shown, settled, failures } = await recognizeLive("whisper-1");
  expect(failures).toEqual([]);
  expect(settled).toMatch(/Good morning, everybody/);
  for (const { draft } of passes)
    expect(draft).toMatchObject({
      isStreaming: true,
      decoded: { model: "tiny-zipformer-streaming" },
    });
  const growing = passes.filter(({ job }) => job.utterance?.isOver === false);
  const utterances = [...Map.groupBy(growing, ({ job }) => job.utterance?.id).values()];
  // The two sentences.
  expect(utterances).toHaveLength(2);
  for (const drafts of utterances) {
    const counts = drafts.map(({ draft }) => draft?.words?.length ?? 0);
    expect(counts.length).toBeGreaterThan(2);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    // As many as the samples hold, if each was processed once.
    const draftedSec = drafts.at(-1)?.job.durationSec ?? 0;
    expect(Math.abs((counts.at(-1) ?? 0) - draftedSec / wordSec)).toBeLessThan(1.5);
  }
  // Once the model is known, the first draft does not wait for more speech.
  const [first, second] = utterances.map(([draft]) => draft?.job.durationSec ?? 0);
  expect(second).toBeLessThan((first ?? 0) - 0.3);
  expect(shown).toContain("one two three");
}, 60_000);

it("does both with the streaming model, where it is asked for by its name", async () => {
  const { shown, settled } = await recognizeLive("tiny-zipformer-streaming");
  expect(shown).toContain("one two three");
  expect(settled).toMatch(/^one two three/);
}, 60_000);

it("transcribes a file of /v1 with it by its name, with times of words, and not otherwise", async () => {
  const { request, streaming } = await open();
  const transcribe = async (model: string) => {
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(wavFile([speech], rateHz))]), "speech.wav");
    form.set("model", model);
    form.set("language", "en");
    form.set("response_format", "verbose_json");
    form.set("timestamp_granularities[]", "word");
    const response = await request("/v1/audio/transcriptions", { method: "POST", body: form });
    expect(response.status).toBe(200);
    return (await response.json()) as { text: string; words: { word: string; start: number }[] };
  };
  const { text, words } = await transcribe(streaming.id);
  expect(text).toMatch(/^one two three four/);
  // The speech begins after a pause of a second.
  expect(words[0]).toMatchObject({ word: "one" });
  expect(words[0]?.start).toBeGreaterThan(0.8);
  expect((await transcribe("whisper-1")).text).toMatch(/Good morning/);
}, 60_000);
