// The part of /app for the command line on the data folder of the app, which alone may use it: its requests may name
// files of this machine. Same form as api.ts, which includes it. Streams are in command-line-streams.ts, which the
// window does not load.

import { z } from "zod";
import { voiceInfo } from "./speech.ts";
import { libraryImport } from "./window-api.ts";

const modelInfo = z.object({
  id: z.string(),
  created: z.number(),
  ownedBy: z.string(),
  kind: z.enum(["speech-to-text", "text-to-speech", "unknown"]),
});

export const commandLinePath = "/app/command-line/";

/** Name → method, path, request, response. */
export const commandLineApi = {
  /** `isComplete`: waits for model lists of channels that are on their way. */
  listModelsAndVoices: {
    method: "GET",
    path: `${commandLinePath}models`,
    request: z.object({ isComplete: z.stringbool().default(false) }),
    response: z.object({ models: z.array(modelInfo), voices: z.array(voiceInfo) }),
  },
  readPhonemes: {
    method: "POST",
    path: `${commandLinePath}phonemes`,
    request: z.object({ lines: z.array(z.string()) }),
    response: z.object({ lines: z.array(z.string()) }),
  },
  /** A document (contract/documents.ts) as text to be spoken. */
  readDocumentText: {
    method: "POST",
    path: `${commandLinePath}document`,
    request: z.object({ path: z.string().min(1) }),
    response: z.object({ text: z.string() }),
  },
  importArchive: {
    method: "POST",
    path: `${commandLinePath}library-import`,
    request: z.object({ path: z.string().min(1) }),
    response: libraryImport,
  },
} as const;
