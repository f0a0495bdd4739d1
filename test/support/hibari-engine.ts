// The real Hibari engine for tests, with the weights in main/.

import { readFile } from "node:fs/promises";
import type { TextToSpeech } from "../../main/engines/engine.ts";
import { createHibari } from "../../main/engines/tts/hibari/hibari.ts";

export const readHibariFile = (name: string): Promise<Uint8Array> =>
  readFile(new URL(`../../main/engines/weights/hibari/${name}`, import.meta.url));

export const loadHibari = (): Promise<TextToSpeech> => createHibari({ read: readHibariFile });
