// One short clip over HTTP, warm, compared with the engine's own time for it on one thread.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { englishClips, sharedAudioDir } from "../support/recordings.ts";
import { startRecognizerWorkers } from "./recognizer-workers.ts";
import { toBatches, cutRecording } from "./cut-recording.ts";
import { type Results, skipped } from "../support/report.ts";
import { measureInTurns, median } from "./rounds.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const area = "one clip";
const rounds = 31;
const warmUps = 5;

export async function benchClip(app: ServedApp, scratchDir: string): Promise<Results> {
  const what = "11 s over HTTP, of the engine alone";
  const clip = englishClips().find(({ name }) => name === "jfk");
  if (clip === undefined)
    return { rows: [skipped(area, what, `no jfk.wav in ${sharedAudioDir}`)], raw: {} };
  const pcmPath = join(scratchDir, "clip.pcm");
  const segments = await cutRecording(clip.path, pcmPath);
  const { contentType, body } = uploadForm(
    { model: "whisper-1", language: "en" },
    readFileSync(clip.path),
    "jfk.wav",
  );
  const bareEngine = await startRecognizerWorkers({
    modulePath: join(import.meta.dirname, "bare-engine.ts"),
    count: 1,
    options: {},
  });
  try {
    await bareEngine.load(pcmPath);
    const contenders = {
      http: async () => (await app.post("/audio/transcriptions", contentType, body)).lastByteMs,
      engine: async () => (await bareEngine.transcribe(toBatches(segments, 1))).engineMs,
    };
    for (let turn = 0; turn < warmUps; turn += 1)
      for (const run of Object.values(contenders)) await run();
    const times = await measureInTurns(rounds, contenders);
    const [http, engine] = [median(times.http), median(times.engine)];
    const note = `${http.toFixed(0)} ms against ${engine.toFixed(0)} ms, ${segments.length} segments`;
    return {
      rows: [{ area, what, value: http / engine, unit: "×", goal: { max: 1.1 }, note }],
      raw: { clip: { segments: segments.length, timesMs: times } },
    };
  } finally {
    await bareEngine.close();
  }
}
