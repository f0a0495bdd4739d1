import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { GeneratedSentence } from "../../../../main/audiobook/audiobook-plan.ts";
import type { Item } from "../../../../main/contract/library-item.ts";
import {
  createNarrationEpisodes,
  type NarrationEpisodesDeps,
} from "../../../../main/jobs/narration/narration-episodes.ts";
import { appError } from "../../../support/app-error.ts";
import { quietLog } from "../../../support/app.ts";

const itemId = "0123456789abcdef";
const generous = 60_000;

const sentence = (takeId: string, written: string): GeneratedSentence => ({
  takeId,
  startsParagraph: false,
  durationSec: 2,
  pauseSec: 0.5,
  written,
});

/** One narration, whose "audio file" is a list of its takes. */
async function openEpisodes() {
  const folder = await mkdtemp(join(tmpdir(), "hearsay-episodes-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const state = {
    item: { id: itemId, kind: "narration", title: "Rain", createdAtMs: 1, changedAtMs: 1 } as Item,
    sentences: [sentence("a", "Rain fell."), sentence("b", "Then it stopped.")],
    author: "",
    /** Of the audio. */
    exportCount: 0,
    isFinished: true,
    beforeExport: (async () => {}) as (signal: AbortSignal) => Promise<void>,
  };
  const change = (patch: Partial<typeof state>): void => {
    const item = { ...state.item, changedAtMs: state.item.changedAtMs + 1 };
    Object.assign(state, { item, ...patch });
  };
  const pronunciations = [] as const;
  const narrationJobs: NarrationEpisodesDeps["narrationJobs"] = {
    prepare: async () => {},
    async generatedSentences() {
      if (!state.isFinished) throw appError("invalid_request", "A sentence is missing.");
      return state.sentences;
    },
    readDetails: async () => ({ title: "", author: state.author }),
    async exportAudiobook(_, options, signal) {
      state.exportCount += 1;
      const takes = state.sentences.map(({ takeId }) => takeId).join();
      await state.beforeExport(signal);
      signal.throwIfAborted();
      const path = join(folder, `export-${state.exportCount}`);
      await writeFile(path, takes);
      return {
        title: "Rain",
        files: [{ name: "Rain", extension: options.format, path }],
        remove: () => rm(path, { force: true }),
      };
    },
  };
  const filesDir = join(folder, "podcast");
  const episodes = createNarrationEpisodes({
    items: { list: () => [state.item], read: () => state.item },
    narrationJobs,
    pronunciations: () => pronunciations,
    folder: filesDir,
    onChange: () => {},
    log: quietLog,
  });
  return {
    episodes,
    state,
    change,
    audio: async () => readFile(await episodes.audioPath(itemId), "utf8"),
    fileNames: () => readdir(filesDir).catch(() => []),
  };
}

it("makes the file of a finished narration once, and lists it with its size and duration", async () => {
  const { episodes, state, audio } = await openEpisodes();
  expect(await episodes.count()).toEqual({ ready: 0, total: 1 });
  expect(await episodes.list(generous)).toEqual([
    {
      itemId,
      title: "Rain",
      author: "",
      excerpt: "Rain fell. Then it stopped.",
      durationSec: 4.5,
      sizeBytes: 3,
      publishedAtMs: 1,
    },
  ]);
  expect([await audio(), await audio(), state.exportCount]).toEqual(["a,b", "a,b", 1]);
  expect(await episodes.count()).toEqual({ ready: 1, total: 1 });
});

it("makes a file anew when takes or details have changed, and deletes the former one", async () => {
  const { episodes, state, change, audio, fileNames } = await openEpisodes();
  expect(await audio()).toBe("a,b");
  change({ sentences: [sentence("a", "Rain fell."), sentence("c", "Then it stopped.")] });
  expect(await episodes.count()).toEqual({ ready: 0, total: 1 });
  expect(await audio()).toBe("a,c");
  state.author = "A. Author";
  await audio();
  expect([state.exportCount, (await fileNames()).length]).toEqual([3, 1]);
});

it("never gives out what was changed while it was made", async () => {
  const { state, change, audio } = await openEpisodes();
  state.beforeExport = async () => {
    state.beforeExport = async () => {};
    change({ sentences: [sentence("d", "Rain fell.")] });
  };
  expect([await audio(), state.exportCount]).toEqual(["d", 2]);
});

it("has no episode of a narration that is not finished", async () => {
  const { episodes, change } = await openEpisodes();
  change({ isFinished: false });
  expect(await episodes.list(generous)).toEqual([]);
  await expect(episodes.audioPath(itemId)).rejects.toThrow("A sentence is missing.");
  change({ isFinished: true });
  expect(await episodes.list(generous)).toHaveLength(1);
});

it("lists without the file that takes longer than the time to wait, and with it afterwards", async () => {
  const { episodes, state, audio } = await openEpisodes();
  const gate = Promise.withResolvers<void>();
  state.beforeExport = () => gate.promise;
  expect(await episodes.list(0)).toEqual([]);
  gate.resolve();
  expect([await audio(), state.exportCount]).toEqual(["a,b", 1]);
  expect(await episodes.list(0)).toHaveLength(1);
});

it("stops what is being made and deletes everything when it is cleared", async () => {
  const { episodes, state, audio, fileNames } = await openEpisodes();
  const hasStarted = Promise.withResolvers<void>();
  state.beforeExport = (signal) => {
    hasStarted.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  };
  const made = audio();
  await hasStarted.promise;
  const [outcome] = await Promise.allSettled([made, episodes.clear()]);
  expect([outcome.status, await fileNames()]).toEqual(["rejected", []]);
  state.beforeExport = async () => {};
  expect(await audio()).toBe("a,b");
  await episodes.remove(itemId);
  expect(await fileNames()).toEqual([]);
});
