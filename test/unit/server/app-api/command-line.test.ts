import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { createAppClient, toApp } from "../../../../main/cli/app-client.ts";
import { appError } from "../../../support/app-error.ts";
import type { SpeechJob, TranscriptionJob, VoiceInfo } from "../../../../main/contract/speech.ts";
import {
  commandLineRoutes,
  type CommandLineDeps,
} from "../../../../main/server/app-api/command-line.ts";
import { neverAborted } from "../../../support/app.ts";
import { failingIterable, fakeTranscript, fakeVoices } from "../../../support/fake-channel.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";

const [nova] = fakeVoices.filter(({ id }) => id === "nova") as [VoiceInfo];
const transcription = {
  path: "/music/a.mp3",
  task: "transcribe",
  model: "whisper-1",
  temperature: 0,
  wordTimes: false,
  format: "text",
} as const;

async function setUp(given: Partial<CommandLineDeps> = {}) {
  const calls: unknown[] = [];
  const appApiRoutes = commandLineRoutes({
    registry: {
      models: () => [{ id: "tts-1", created: 1, ownedBy: "here", kind: "text-to-speech" }],
      voices: () => [nova],
    },
    importer: {
      async run(path) {
        calls.push(["import", path]);
        return { restored: 1, existing: 0, failed: [] };
      },
    },
    documentImport: {
      async read({ name, inputPath, outputPath }) {
        calls.push(["document", name, inputPath]);
        const script = "# One\n\nText.";
        await writeFile(outputPath, JSON.stringify({ title: "", author: "", script }));
      },
      async close() {},
    },
    tempDir: tmpdir,
    ready: async (model) => void calls.push(["ready", model]),
    async *pull({ id = "" }) {
      yield { id, name: id, state: "done", doneBytes: 1, totalBytes: 1 };
    },
    async *importModel({ path }) {
      yield { type: "done", id: path, name: path };
    },
    async *transcribe(job: TranscriptionJob) {
      calls.push(job);
      yield { type: "progress", processedSec: 1, durationSec: undefined };
      yield { type: "failed", range: { startSec: 1, endSec: 2, message: "no" } };
      const transcript = fakeTranscript(job);
      yield {
        type: "done",
        transcript: { ...transcript, failed: [{ startSec: 1, endSec: 2, message: "no" }] },
      };
    },
    async *synthesize(job: SpeechJob) {
      calls.push(job);
      yield { bytes: new Uint8Array([1, 2]), audioSec: undefined, progress: 0.5 };
      yield {
        bytes: new Uint8Array([3]),
        corrections: [{ at: 0, bytes: new Uint8Array([9]) }],
        audioSec: 2,
        progress: 1,
      };
    },
    speaksLocally: (model) => model === "tts-1",
    phonemes: async (lines) => lines.map((line) => `/${line}/`),
    ...given,
  });
  const { gateway, request, logLines } = await createTestGateway({ deps: { appApiRoutes } });
  const client = createAppClient(
    toApp(
      (incoming) => gateway.handle(incoming, { isTrusted: true, isCommandLine: true }),
      neverAborted(),
    ),
  );
  return { calls, client, gateway, request, logLines };
}

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

it.each(["models", "transcriptions", "speech", "phonemes", "library-import", "nothing"])(
  "/app/command-line/%s is refused to the owner's key and to the window, which may not name files",
  async (name) => {
    const { request, gateway, calls } = await setUp();
    const path = `/app/command-line/${name}`;
    const init = {
      method: "POST",
      body: JSON.stringify({ ...transcription, path: "/etc/passwd" }),
    };
    const answers = [
      await request(path, init),
      await gateway.handle(new Request(`http://127.0.0.1${path}`, init), { isTrusted: true }),
    ];
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { error: { code: "owner_only" } },
      ]);
    expect(calls).toEqual([]);
  },
);

it("transcribes a file of this machine into the requested format", async () => {
  const { client, calls } = await setUp();
  const events = await collected(client.stream("transcribe", { ...transcription, language: "en" }));
  expect(events).toEqual([
    { type: "progress", processedSec: 1 },
    { type: "failed", startSec: 1, endSec: 2 },
    { type: "done", text: expect.stringContaining("Hear what is said."), isPartial: true },
  ]);
  expect(calls).toEqual([
    ["ready", "whisper-1"],
    {
      task: "transcribe",
      model: "whisper-1",
      mediaPath: "/music/a.mp3",
      language: "en",
      temperature: 0,
      wordTimes: false,
    },
  ]);
});

it("speaks, with corrections of earlier bytes", async () => {
  const { client, calls } = await setUp();
  const job = { model: "tts-1", voice: "nova", speed: 1, format: "wav", text: "Hi." } as const;
  expect(await collected(client.stream("speak", job))).toEqual([
    { bytes: "AQI=", progress: 0.5 },
    { bytes: "Aw==", corrections: [{ at: 0, bytes: "CQ==" }], audioSec: 2, progress: 1 },
  ]);
  expect(calls).toEqual([["ready", "tts-1"], job]);
});

it("says which voices took over, and what the chosen one does not know", async () => {
  const casting = {
    takenOverBy: ["ef_dora"],
    warning: { id: "test", parameters: {}, message: "'nova' reads German." },
  };
  const { client } = await setUp({
    async *synthesize() {
      yield { bytes: new Uint8Array([1]), casting, audioSec: undefined, progress: undefined };
    },
  });
  const job = { model: "tts-1", voice: "nova", speed: 1, format: "wav", text: "Hi." } as const;
  expect(await collected(client.stream("speak", job))).toEqual([
    { bytes: "AQ==", takenOverBy: ["ef_dora"], warning: "'nova' reads German." },
  ]);
});

it.each([
  ["on this machine, which does not have it", "tts-1", "marin", "nova"],
  ["on this machine, which has it", "tts-1", "nova", "nova"],
  ["at a provider, which may have it", "cloud/tts-1", "marin", "marin"],
])("uses the command's name of a voice %s only if needed", async (_where, model, voice, used) => {
  const { client, calls } = await setUp();
  const job = { model, speed: 1, format: "wav", text: "Hi." } as const;
  await collected(
    client.stream("speak", { ...job, voice, voiceAlias: used === voice ? "onyx" : "nova" }),
  );
  expect(calls.at(-1)).toEqual({ ...job, voice: used });
});

it("lists models and voices, and waits for those of channels only if asked", async () => {
  const { client, calls } = await setUp();
  const all = await client.call("listModelsAndVoices");
  expect([all.models.length, all.voices, calls]).toEqual([1, [nova], []]);
  await client.call("listModelsAndVoices", { isComplete: true });
  expect(calls).toEqual([["ready", undefined]]);
});

it("reads phonemes and documents, and imports an archive", async () => {
  const { client, calls } = await setUp();
  expect(await client.call("readPhonemes", { lines: ["a", "b"] })).toEqual({
    lines: ["/a/", "/b/"],
  });
  expect(await client.call("importArchive", { path: "/a.zip" })).toMatchObject({ restored: 1 });
  expect(await client.call("readDocumentText", { path: "/b/a.pdf" })).toEqual({
    text: "One\n\nText.",
  });
  expect(calls).toEqual([
    ["import", "/a.zip"],
    ["document", "a.pdf", "/b/a.pdf"],
  ]);
});

it("returns errors before and after the first event, and logs only unexpected ones", async () => {
  const { client, logLines } = await setUp({
    transcribe: () => failingIterable(() => appError("upstream_error", "The provider is down.")),
    async *synthesize() {
      yield { bytes: new Uint8Array([1]), audioSec: 1, progress: 0.5 };
      throw new Error("a secret detail");
    },
  });
  await expect(collected(client.stream("transcribe", transcription))).rejects.toThrow(
    "The provider is down.",
  );
  expect(logLines).toEqual([]);
  const job = { model: "tts-1", voice: "nova", speed: 1, format: "wav", text: "Hi." } as const;
  await expect(collected(client.stream("speak", job))).rejects.toThrow("The server failed");
  expect(logLines.join("")).toContain("a secret detail");
});
