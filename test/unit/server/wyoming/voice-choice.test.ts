import { expect, it } from "vitest";
import { chooseVoice } from "../../../../main/server/wyoming/voice-choice.ts";
import type { VoiceInfo } from "../../../../main/contract/speech.ts";

const voice = (id: string, language: string, model: string): VoiceInfo => ({
  id,
  language,
  model,
  name: id,
  character: "",
  gender: "unknown",
  description: "",
  sample: "",
});
const voices = [
  voice("alloy", "en-US", "hibari"),
  voice("ef_dora", "es-ES", "kokoro"),
  voice("ana", "es-MX", "piper-ana"),
];

it.each([
  [{}, { model: "tts-1", voice: "alloy" }],
  [{ name: "ana" }, { model: "piper-ana", voice: "ana" }],
  [
    { name: "ana", language: "es" },
    { model: "piper-ana", voice: "ana", language: "es" },
  ],
  [{ name: "alloy" }, { model: "tts-1", voice: "alloy" }],
  [
    { name: "alloy", language: "es" },
    { model: "tts-1", voice: "alloy", language: "es" },
  ],
  [{ name: "an alias" }, { model: "tts-1", voice: "an alias" }],
  [{ language: "es" }, { model: "kokoro", voice: "ef_dora", language: "es" }],
  [{ language: "es-MX" }, { model: "piper-ana", voice: "ana", language: "es" }],
  [{ language: "en-GB" }, { model: "tts-1", voice: "alloy", language: "en" }],
  [{ language: "de" }, { model: "tts-1", voice: "alloy", language: "de" }],
  [{ language: "xx" }, { model: "tts-1", voice: "alloy" }],
])("of %j is %j", (request, choice) => {
  expect(chooseVoice(request, voices)).toEqual(choice);
});
