// Memory use of real engines as the app reports it, and the effect of a memory limit.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../main/app.ts";
import { api } from "../../main/contract/api.ts";
import type { ListedModel } from "../../main/contract/window-api.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import type { EngineUsage } from "../../main/contract/app-event.ts";
import { isAlive, quietLog } from "../support/app.ts";
import { openFolder } from "../support/test-data.ts";

const folder = await openFolder();
afterAll(() => folder.remove());

const mb = 1e6;
const sentence = "The ferry leaves at nine, whatever the weather.";

/** Opens an app whose data folder has this name and is kept after the app is closed. */
async function opened(name: string, flags: Record<string, string>) {
  const dataDir = join(folder.path, name);
  await mkdir(dataDir, { recursive: true });
  const platform = createNodePlatform(dataDir);
  const pids: number[] = [];
  let most = 0;
  const launchChild = (path: string) => {
    const port = platform.launchChild(path);
    pids.push(port.pid ?? 0);
    most = Math.max(most, pids.filter(isAlive).length);
    return port;
  };
  const app = await createApp(
    { ...platform, launchChild },
    readSettings({ port: "0", ...flags }, {}, { dataDir }),
    quietLog,
  );
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await app.close();
    isClosed = true;
  };
  onTestFinished(close);
  const { baseUrl, apiKey } = await app.start();
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, baseUrl), { ...init, headers: { authorization: `Bearer ${apiKey}` } });
  return {
    app,
    close,
    ask,
    synthesize: (input: string) =>
      ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ model: "hibari", voice: "nova", input, response_format: "wav" }),
      }),
    async transcribe(sound: Blob): Promise<string> {
      const form = new FormData();
      form.set("model", "moonshine-base");
      form.set("file", sound, "ferry.wav");
      return (await ask("/v1/audio/transcriptions", { method: "POST", body: form })).text();
    },
    async memoryOf(id: string): Promise<ListedModel["memory"]> {
      return api.listModels.response
        .parse(await (await ask("/app/models")).json())
        .models.find((model) => model.id === id)?.memory;
    },
    engines: async () => api.readInfo.response.parse(await (await ask("/app/info")).json()).engines,
    pids,
    most: () => most,
  };
}

it("a model reports the memory it took when it was loaded, and that it is loaded", async () => {
  const { app, synthesize, transcribe, memoryOf, engines } = await opened("measured", {
    workers: "1",
  });
  const usageEvents: EngineUsage[] = [];
  app.onEvent((event) => void (event.type === "engines" && usageEvents.push(event.engines)));
  expect(await memoryOf("hibari")).toEqual([{ model: "hibari", isLoaded: false }]);
  expect(await engines()).toEqual({ processes: 0, heldBytes: 0 });
  const speech = await synthesize(sentence);
  const sound = await speech.blob();
  expect(speech.status).toBe(200);
  const [hibari] = (await memoryOf("hibari")) ?? [];
  expect(hibari).toMatchObject({ model: "hibari", isLoaded: true });
  expect(hibari?.bytes).toBeGreaterThan(50 * mb);
  expect(usageEvents.at(-1)).toMatchObject({ processes: 1, heldBytes: expect.any(Number) });
  expect(await transcribe(sound)).toMatch(/weather/i);
  const [moonshine, ...others] = (await memoryOf("whisper-1")) ?? [];
  expect(moonshine).toMatchObject({ model: "moonshine-base", isLoaded: true });
  expect(moonshine?.bytes).toBeGreaterThan(50 * mb);
  // The model for other languages was not needed.
  expect(others).toEqual([{ model: "whisper-base", isLoaded: false }]);
  // The model for other languages was not needed.
  expect(await memoryOf("tts-1")).toEqual([hibari, { model: "kokoro", isLoaded: false }]);
  const { processes, heldBytes } = await engines();
  expect(processes).toBe(1);
  // The window receives only notable changes, not one event for each task.
  expect(Math.abs((usageEvents.at(-1)?.heldBytes ?? 0) - heldBytes)).toBeLessThan(50 * mb);
  expect(heldBytes).toBeGreaterThan((hibari?.bytes ?? 0) + 50 * mb);
});

it.each([
  [
    "one process serves two requests where two would hold more than was chosen in the window",
    {},
    1,
  ],
  ["two do where it is said at the start that there is no limit", { "memory-mb": "0" }, 2],
])("%s", async (name, flags, count) => {
  const before = await opened(name, {});
  const choose = (memoryMb: number) =>
    before.ask("/app/preferences", { method: "PATCH", body: JSON.stringify({ memoryMb }) });
  expect((await choose(-1)).status).toBe(400);
  expect((await choose(100)).status).toBe(200);
  await before.close();
  const { synthesize, most } = await opened(name, { workers: "2", ...flags });
  const answers = await Promise.all([synthesize(sentence), synthesize(sentence)]);
  const sounds = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(sounds[0]).toEqual(sounds[1]);
  expect(most()).toBe(count);
});

it("a process over its limit is replaced by one with only the needed model, which transcribes file after file", async () => {
  const { synthesize, transcribe, pids } = await opened("one after the other", {
    workers: "2",
    "memory-mb": "100",
  });
  const sound = await (await synthesize(sentence)).blob();
  // The first process holds two models from here on, and is replaced by one with only the transcription model.
  expect(await transcribe(sound)).toMatch(/weather/i);
  expect(pids).toHaveLength(1);
  for (let request = 0; request < 3; request += 1)
    expect(await transcribe(sound)).toMatch(/weather/i);
  expect(pids).toHaveLength(2);
});

it("tts-1-hd is spoken by Hibari where a limit leaves no memory for Kokoro, which says so itself", async () => {
  const { ask, memoryOf } = await opened("little memory", { workers: "1", "memory-mb": "300" });
  const speak = (model: string, voice: string) =>
    ask("/v1/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model, voice, input: sentence, response_format: "wav" }),
    });
  expect((await speak("tts-1-hd", "nova")).status).toBe(200);
  expect(await memoryOf("hibari")).toMatchObject([{ isLoaded: true }]);
  expect(await memoryOf("kokoro")).toMatchObject([{ isLoaded: false }]);
  const refused = await speak("kokoro", "af_nova");
  expect(refused.ok).toBe(false);
  expect(await refused.text()).toContain("'kokoro' needs");
});
