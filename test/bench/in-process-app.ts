// The app in this process, in a new data folder, without its HTTP server.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../main/app.ts";
import type { Transcript, TranscriptionJob } from "../../main/contract/speech.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { createLog } from "../../main/log.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";

export type InProcessApp = {
  readonly app: App;
  /** Transcribes a media file, by default with language detection. @throws Error if a range failed */
  transcribe(path: string, overrides?: Partial<TranscriptionJob>): Promise<Transcript>;
  /** Text of a media file of English speech. */
  transcribeText(path: string): Promise<string>;
  /** @returns a complete WAV file */
  synthesize(text: string, voice: string, model?: string): Promise<Buffer>;
  close(): Promise<void>;
};

export async function openInProcessApp(): Promise<InProcessApp> {
  const dataDir = mkdtempSync(join(tmpdir(), "hearsay-eval-"));
  const settings = readSettings({}, {}, { dataDir });
  const app = await createApp(createNodePlatform(dataDir), settings, createLog("warn"));
  const neverAborted = new AbortController().signal;
  async function transcribe(
    mediaPath: string,
    overrides: Partial<TranscriptionJob> = {},
  ): Promise<Transcript> {
    for await (const event of app.transcribe(
      {
        task: "transcribe",
        model: "whisper-1",
        mediaPath,
        temperature: 0,
        wordTimes: false,
        ...overrides,
      },
      neverAborted,
    )) {
      if (event.type === "failed") throw new Error(event.range.message);
      if (event.type === "done") return event.transcript;
    }
    throw new Error("there was no transcript");
  }
  return {
    app,
    transcribe,
    transcribeText: async (path) => (await transcribe(path, { language: "en" })).text,
    async synthesize(text, voice, model = "tts-1") {
      const chunks: Uint8Array[] = [];
      for await (const { bytes } of app.synthesize(
        { model, text, voice, speed: 1, format: "wav" },
        neverAborted,
      ))
        chunks.push(bytes);
      return Buffer.concat(chunks);
    },
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
