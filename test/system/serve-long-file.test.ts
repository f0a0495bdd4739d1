// A long recording through the gateway: memory stays small, and a short request does not wait for it. LONG_TESTS=1 uses
// an hour (25 MB) instead of ten minutes and prints the measurements.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { waitForExit, processTree, start, waitUntil } from "../support/command-line.ts";
import { tenSentences } from "../support/english-texts.ts";
import { encodeMedia } from "../support/test-audio.ts";
import {
  resampleTo16kHz,
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";

const minutes = process.env["LONG_TESTS"] === "1" ? 60 : 5;
const rateHz = 16_000;
const mebibyte = 2 ** 20;
const maxServerBytes = 200 * mebibyte;
const maxEngineBytes = 700 * mebibyte;

const folder = await openFolder();
afterAll(() => folder.remove());

/** The peak memory use of a process. */
function peakBytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** The story repeated, as an MP3 of 56 kbit/s: an hour is 25 MB. */
async function longRecording(): Promise<{ path: string; times: number }> {
  const story = await resampleTo16kHz(await synthesizeSamples(tenSentences));
  const times = Math.ceil((minutes * 60 * rateHz) / story.length);
  const samples = new Float32Array(minutes * 60 * rateHz);
  for (let time = 0; time < times; time += 1)
    samples.set(story.subarray(0, samples.length - time * story.length), time * story.length);
  const path = join(folder.path, "long.mp3");
  await writeFile(
    path,
    encodeMedia({
      muxer: "mp3",
      audio: { codec: "libmp3lame", samples, sampleRateHz: rateHz, bitRate: 56_000 },
    }),
  );
  return { path, times };
}

const hasProc = process.platform === "linux" && spawnSync("ps", ["--version"]).status === 0;

it.skipIf(!hasProc)(
  "transcribes a long file in little memory, and a short one meanwhile (needs Linux)",
  { timeout: 300_000 },
  async () => {
    const long = await longRecording();
    const short = await writeAudioFile(
      join(folder.path, "short.mp3"),
      await synthesizeSamples("Good morning."),
    );
    // Runs under Node 24 directly, so that there is no launcher process: the first pid of the tree is the server.
    const child = start(["serve"], {
      dataDir: join(folder.path, "data é ש 日本"),
      node: process.execPath,
      env: { HEARSAY_PORT: "0", HEARSAY_WORKERS: "2", HEARSAY_API_KEY: "hs-test" },
    });
    let greeting = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (greeting += text));
    child.stderr?.resume();
    await waitUntil(() => greeting.includes("Ctrl-C stops it."));
    const baseUrl = /Base URL\s+(\S+)/.exec(greeting)?.[1] ?? "";

    async function transcribe(path: string): Promise<{ text: string; tookSec: number }> {
      const form = new FormData();
      form.append("model", "whisper-1");
      form.append("language", "en");
      form.append("file", new Blob([await readFile(path)]), "recording.mp3");
      const begun = performance.now();
      const response = await fetch(`${baseUrl}/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: "Bearer hs-test" },
        body: form,
      });
      expect(response.status).toBe(200);
      const { text } = (await response.json()) as { text: string };
      return { text, tookSec: (performance.now() - begun) / 1000 };
    }

    try {
      const pid = child.pid ?? 0;
      const state = { longIsDone: false };
      const longTranscription = transcribe(long.path).finally(() => (state.longIsDone = true));
      await waitUntil(() => processTree(pid).length >= 3);
      const meanwhile: number[] = [];
      while (!state.longIsDone && meanwhile.length < 5) {
        const { text, tookSec } = await transcribe(short);
        expect(normalizeWords(text)).toBe("good morning");
        if (!state.longIsDone) meanwhile.push(tookSec);
      }
      const { text, tookSec } = await longTranscription;
      const [server = 0, ...engines] = processTree(pid).map(peakBytes);
      if (minutes === 60) {
        const inMebibytes = [server, ...engines]
          .map((bytes) => `${Math.round(bytes / mebibyte)} MiB`)
          .join(", ");
        process.stdout.write(
          `one hour took ${tookSec.toFixed(1)} s; short requests meanwhile ${meanwhile.map((sec) => sec.toFixed(2)).join(", ")} s; server and engines at most ${inMebibytes}\n`,
        );
      }
      expect(server).toBeLessThan(maxServerBytes);
      for (const engine of engines) expect(engine).toBeLessThan(maxEngineBytes);
      expect(meanwhile.length).toBeGreaterThan(0);
      for (const sec of meanwhile) expect(sec).toBeLessThan(tookSec / 2);
      // Every repetition of the story was transcribed.
      const rounds = normalizeWords(text).split("ticket office").length - 1;
      expect(rounds).toBeGreaterThanOrEqual(long.times - 2);
    } finally {
      child.kill("SIGTERM");
      await waitForExit(child);
    }
  },
);
