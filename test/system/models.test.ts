// A model from a hub to a transcript, by the command line: real processes, real weights.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../main/app.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { shippedWeightsDir } from "../../main/models/shipped-models.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { quietLog } from "../support/app.ts";
import { run, waitUntil } from "../support/command-line.ts";
import { type FakeHub, readFiles, respondStatus, startHub } from "../support/fake-hub.ts";
import {
  normalizeWords,
  openFolder,
  synthesizeSamples,
  writeAudioFile,
} from "../support/test-data.ts";

const folder = await openFolder();
const dataDir = join(folder.path, "data");
const id = "someone--whisper-base-fr";
const sentence = "Good morning. How are you today?";
let hub: FakeHub;

const models = (...args: string[]) =>
  run(["models", ...args], {
    dataDir,
    cwd: folder.path,
    env: { HF_ENDPOINT: hub.baseUrl, HEARSAY_WORKERS: "1" },
  });

beforeAll(async () => {
  const files = await readFiles(join(shippedWeightsDir, "whisper-base"));
  hub = await startHub({ "someone/whisper-base-fr": { files } });
});
afterAll(async () => {
  await hub.close();
  await folder.remove();
});

it("pulls a repository, transcribes with it, exports, removes and imports it", async () => {
  expect(await models("pull", "someone/whisper-base-fr")).toMatchObject({
    code: 0,
    stdout: `${id}\n`,
  });
  const recording = await writeAudioFile(
    join(folder.path, "greeting.wav"),
    await synthesizeSamples(sentence),
  );
  const transcript = await run(["transcribe", recording, "--model", id, "--language", "en"], {
    dataDir,
    cwd: folder.path,
    env: { HEARSAY_WORKERS: "1" },
  });
  expect(normalizeWords(transcript.stdout)).toEqual(normalizeWords(sentence));

  expect(await models("export", id, "model.zip")).toMatchObject({ code: 0 });
  expect(await models("rm", id)).toMatchObject({ code: 0 });
  expect((await models("list")).stdout).not.toContain(id);
  expect(await models("import", "model.zip")).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect((await models("list")).stdout).toContain(id);
  expect(await readdir(join(dataDir, "models", ".incoming"))).toEqual([]);
});

it("serves a model under /v1 from its pull to its removal, without a restart", async () => {
  const serving = await openFolder();
  const app = await createApp(
    createNodePlatform(join(serving.path, "data")),
    readSettings(
      { port: "0", workers: "1" },
      { HF_ENDPOINT: hub.baseUrl },
      { dataDir: join(serving.path, "data") },
    ),
    quietLog,
  );
  onTestFinished(async () => {
    await app.close();
    await serving.remove();
  });
  const { baseUrl, apiKey } = await app.start();
  const headers = { authorization: `Bearer ${apiKey}` };
  const modelIds = async (): Promise<string[]> => {
    const response = await fetch(`${baseUrl}/models`, { headers });
    return ((await response.json()) as { data: { id: string }[] }).data.map((model) => model.id);
  };
  const wav = await readFile(
    await writeAudioFile(join(serving.path, "greeting.wav"), await synthesizeSamples(sentence)),
  );
  const transcribe = (): Promise<Response> => {
    const body = new FormData();
    body.append("file", new Blob([wav]), "greeting.wav");
    for (const [name, value] of Object.entries({ model: id, language: "en" }))
      body.append(name, value);
    return fetch(`${baseUrl}/audio/transcriptions`, { method: "POST", headers, body });
  };
  const callApp = (method: string, path: string, fields?: object): Promise<Response> =>
    fetch(new URL(path, baseUrl), {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(fields === undefined ? {} : { body: JSON.stringify(fields) }),
    });

  expect(await modelIds()).not.toContain(id);
  const repository = "someone/whisper-base-fr";
  expect((await callApp("POST", "/app/models/download", { repository })).status).toBe(200);
  await waitUntil(async () => (await modelIds()).includes(id));
  const { text } = (await (await transcribe()).json()) as { text: string };
  expect(normalizeWords(text)).toEqual(normalizeWords(sentence));
  expect(app.enginePids()).not.toEqual([]);
  expect((await callApp("DELETE", `/app/models/${id}`)).status).toBe(200);
  // Its weights leave the memory too.
  await waitUntil(() => app.enginePids().length === 0);
  expect(await modelIds()).not.toContain(id);
  expect((await transcribe()).status).toBe(404);
});

it("finds models by language, and says so where there is none", async () => {
  const { stdout } = await models("search", "German");
  expect(stdout).toMatch(/^model +kind +size +languages +errors \(de\) +licence\n/);
  expect(stdout).toMatch(/^parakeet-tdt-0\.6b-v3 .* \d\.\d % \(FLEURS, .+\) +CC-BY-4\.0$/m);
  expect(stdout).toContain("piper-de-thorsten-medium");
  expect(stdout).not.toContain("parakeet-tdt-0.6b-v2");
  expect((await models("search", "cantonese")).stdout).toContain("(needs --accept-licence)");
  expect(await models("search", "piper", "klingon")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("no model to pull matches 'piper klingon'"),
  });
});

it("names the option that accepts a licence", async () => {
  const { code, stderr } = await models("pull", "sense-voice-small");
  expect(code).toBe(1);
  expect(stderr).toMatch(/FunASR Model License.*Having read it, add --accept-licence\./);
  expect(hub.requests.filter(({ path }) => path.includes("sense"))).toEqual([]);
});

it("reports why a pull failed, and what to do", async () => {
  hub.setFault("/main", respondStatus(401, "GatedRepo"));
  const { code, stderr } = await models(
    "pull",
    "https://huggingface.co/someone/whisper-base-fr-gated/tree/main",
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/only to people who accepted its terms/);
  const offline = await run(["models", "pull", "someone/whisper-base-offline"], {
    dataDir,
    cwd: folder.path,
    env: { HF_ENDPOINT: "http://hub.invalid", HEARSAY_OFFLINE: "1" },
  });
  expect(offline).toMatchObject({ code: 1 });
  expect(offline.stderr).toContain("Offline");
  expect(offline.stderr).not.toContain('"level"');
  expect((await models("pull", "whisper-nothing")).stderr).toContain("The catalog has no model");
  expect((await models("pull", "someone//whisper")).stderr).toContain("must be owner/name");
});
