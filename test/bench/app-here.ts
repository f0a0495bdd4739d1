// The app in this process, in a fresh data folder: every piece of it but the port.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../main/app.ts";
import type { Transcript, TranscriptionJob } from "../../main/contract/speech.ts";
import { createHeadlessPlatform } from "../../main/cli/platform.ts";
import { createLog } from "../../main/log.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";

export type AppHere = {
  readonly app: App;
  /** A media file, by default transcribed in the language that is detected. @throws Error where a stretch could not be heard */
  transcript(path: string, more?: Partial<TranscriptionJob>): Promise<Transcript>;
  /** The text of a media file of English speech. */
  hear(path: string): Promise<string>;
  /** A whole WAV file. */
  say(text: string, voice: string): Promise<Buffer>;
  close(): Promise<void>;
};

export async function appHere(): Promise<AppHere> {
  const dataDir = mkdtempSync(join(tmpdir(), "hearsay-eval-"));
  const settings = readSettings({}, {}, { dataDir });
  const app = await createApp(createHeadlessPlatform(dataDir), settings, createLog("warn"));
  const never = new AbortController().signal;
  async function transcript(
    mediaPath: string,
    more: Partial<TranscriptionJob> = {},
  ): Promise<Transcript> {
    for await (const event of app.transcribe(
      {
        task: "transcribe",
        model: "whisper-1",
        mediaPath,
        temperature: 0,
        wordTimes: false,
        ...more,
      },
      never,
    )) {
      if (event.type === "failed") throw new Error(event.stretch.message);
      if (event.type === "done") return event.transcript;
    }
    throw new Error("there was no transcript");
  }
  return {
    app,
    transcript,
    hear: async (path) => (await transcript(path, { language: "en" })).text,
    async say(text, voice) {
      const parts: Uint8Array[] = [];
      for await (const { bytes } of app.speak(
        { model: "tts-1", text, voice, speed: 1, format: "wav" },
        never,
      ))
        parts.push(bytes);
      return Buffer.concat(parts);
    },
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
