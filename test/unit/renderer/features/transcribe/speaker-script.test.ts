// A transcript becomes a script in which each speaker has a voice of the transcript's language.

import { beforeAll, expect, it } from "vitest";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import { parseScript } from "../../../../../main/text/script/script.ts";
import {
  castSpeakers,
  scriptVoices,
} from "../../../../../renderer/features/transcribe/document/script-voices.ts";
import {
  toParagraphs,
  toScript,
} from "../../../../../renderer/features/transcribe/transcript/plain-text.ts";
import { loadMessages } from "../../../../../renderer/messages/messages.ts";
import { segment } from "./segments.ts";

beforeAll(() => loadMessages("en"));

const voice = (id: string, language: string, gender: "female" | "male") => ({
  id,
  name: id.slice(3),
  character: "",
  language,
  gender,
});
const model = (id: string, fields: Partial<ListedModel>): ListedModel =>
  ({ id, channel: "local", kind: "text-to-speech", state: "ready", ...fields }) as ListedModel;
const models = [
  model("tts-1-hd", {}),
  model("kokoro", {
    voices: [
      voice("af_alloy", "en", "female"),
      voice("am_adam", "en", "male"),
      voice("ef_dora", "es", "female"),
      voice("em_alex", "es", "male"),
      voice("em_santa", "es", "male"),
    ],
  }),
  model("piper-de", { voices: [voice("de_eva", "de", "female")] }),
  model("cloud/tts", { channel: "cloud" }),
];

it("gives each speaker a voice where another one begins, as scripts name them", () => {
  const talk = [
    { ...segment(1, 0, 2, "Good morning."), speaker: "Anna" },
    { ...segment(2, 5, 6, "# 1 is the answer."), speaker: "Anna" },
    { ...segment(3, 6, 8, "How are you?"), speaker: "Ben" },
    { ...segment(4, 8, 9, "Fine,"), speaker: "Anna" },
    { ...segment(5, 9, 10, "thanks."), speaker: "Anna" },
  ];
  const voices = new Map([
    ["Anna", "nova"],
    ["Ben", "onyx"],
  ]);
  const script = toScript(toParagraphs(talk), (speaker = "") => voices.get(speaker) ?? "");
  expect(script).toBe(
    "[nova] Good morning.\n\n1 is the answer.\n\n[onyx] How are you?\n\n[nova] Fine, thanks.",
  );
  const sentences = parseScript(script, {
    voice: "alloy",
    speed: 1,
    findVoice: (name) => name,
    pronounce: (text) => text,
  });
  expect(sentences.map((sentence) => sentence.voice)).toEqual(["nova", "nova", "onyx", "nova"]);
});

it("casts speakers under names that marks can hold, each only once", () => {
  const names = ["Anna", "anna", "Mr [X]\nY", "Pause", undefined, "Narrator"];
  const cast = castSpeakers(names, ["nova", "echo"], "Narrator");
  expect([...cast.values()]).toEqual([
    { name: "Anna", voice: "nova" },
    { name: "anna 2", voice: "echo" },
    { name: "Mr X Y", voice: "nova" },
    { name: "Pause.", voice: "echo" },
    { name: "Narrator", voice: "nova" },
    { name: "Narrator 2", voice: "echo" },
  ]);
  const script = [...cast.values()].map(({ name }) => `[${name}] Hello.`).join("\n\n");
  const options = { voice: "alloy", speed: 1, cast: [...cast.values()] };
  const sentences = parseScript(script, {
    ...options,
    findVoice: () => undefined,
    pronounce: (text) => text,
  });
  expect(sentences.map(({ speaker }) => speaker)).toEqual(
    [...cast.values()].map(({ name }) => name),
  );
});

it("takes voices of the language, women and men in turns, the usual one first", () => {
  const usual = { model: "tts-1-hd", voice: "nova" };
  const english = scriptVoices(models, usual, "en");
  expect(english.voices.slice(0, 4)).toEqual(["nova", "echo", "alloy", "fable"]);
  // The same voice has two names, and nobody gets it twice.
  expect(english.voices).toHaveLength(7);
  expect(english.voices).not.toContain("af_alloy");
  expect(scriptVoices(models, usual, "es")).toEqual({
    model: "tts-1-hd",
    voices: ["ef_dora", "em_alex", "em_santa"],
    knowsLanguage: true,
  });
});

it("takes another model where the usual one has no voice of the language", () => {
  const usual = { model: "kokoro", voice: "af_alloy" };
  expect(scriptVoices(models, usual, "de")).toEqual({
    model: "tts-1-hd",
    voices: ["de_eva"],
    knowsLanguage: true,
  });
  expect(scriptVoices(models, usual, "es").model).toBe("kokoro");
  const none = scriptVoices(models, usual, "fi");
  expect([none.knowsLanguage, none.voices.length]).toEqual([false, 6]);
});

it("takes OpenAI's names at a provider", () => {
  const { model: taken, voices } = scriptVoices(
    models,
    { model: "cloud/tts", voice: "onyx" },
    "fi",
  );
  expect([taken, voices[0], voices.length]).toEqual(["cloud/tts", "onyx", 6]);
});
