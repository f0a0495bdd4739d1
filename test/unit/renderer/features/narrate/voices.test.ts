import { beforeEach, describe, expect, it } from "vitest";
import { parseVoiceBlend } from "../../../../../main/contract/voice-blend.ts";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import {
  blendName,
  modelForVoice,
  noFilter,
  pickerGroups,
  voiceChoices,
  type VoiceFilter,
  voiceForModel,
  withName,
  withRecent,
} from "../../../../../renderer/features/narrate/voices.ts";
import { loadMessages } from "../../../../../renderer/messages/messages.ts";
import {
  blendableVoices,
  localVoices,
  machineVoices,
  storedBlends,
  unlistedVoice,
  type VoiceChoice,
} from "../../../../../renderer/stores/voices.ts";

import { usePreferences } from "../../../../../renderer/stores/preferences.ts";

type Voice = NonNullable<ListedModel["voices"]>[number];
const voice = (
  id: string,
  language: string,
  gender: "female" | "male",
  region?: string,
): Voice => ({
  id,
  name: id.slice(3),
  character: "",
  language,
  gender,
  ...(region !== undefined && { region }),
});
const bella = voice("af_bella", "en", "female", "US");
const sky = voice("af_sky", "en", "female", "US");
const daniel = voice("bm_daniel", "en", "male", "GB");
const siwis = voice("ff_siwis", "fr", "female", "FR");
const thorsten = voice("de_thorsten", "de", "male");

const model = (id: string, fields: Partial<ListedModel>): ListedModel =>
  ({ id, channel: "local", kind: "text-to-speech", state: "ready", ...fields }) as ListedModel;
const models = [
  model("tts-1-hd", {}),
  model("hibari", {}),
  model("kokoro", {
    family: "kokoro-compact",
    voices: [
      bella,
      { ...sky, register: "low", tempo: "slow", melody: "medium" },
      { ...daniel, register: "medium", tempo: "medium", melody: "medium" },
      siwis,
    ],
  }),
  model("kokoro-82m", { family: "kokoro", voices: [bella] }),
  model("piper-de", { voices: [thorsten] }),
  model("cloud/tts", { channel: "cloud", voices: [voice("xx_verse", "en", "male")] }),
];
const nothingStored = { favourites: [], recent: [] };
const shown = (...[stored, filter]: [Parameters<typeof pickerGroups>[1]?, Partial<VoiceFilter>?]) =>
  pickerGroups(machineVoices(models), stored ?? nothingStored, { ...noFilter, ...filter }).map(
    ({ label, voices }) => [label, ...voices.map(({ id }) => id)],
  );

const byId = (id: string) => machineVoices(models).find((each) => each.id === id) as VoiceChoice;

beforeEach(() => loadMessages("en"));

describe("the voices of this machine", () => {
  it("are the names of every model, and each that a model lists once, with all models that have it", () => {
    const voices = machineVoices(models);
    expect(voices.map(({ id }) => id)).toEqual([
      ...localVoices,
      "af_bella",
      "af_sky",
      "bm_daniel",
      "ff_siwis",
      "de_thorsten",
    ]);
    expect(voices.find(({ id }) => id === "af_bella")).toEqual({
      id: "af_bella",
      name: "bella",
      about: "Woman",
      gender: "female",
      language: "en-US",
      models: ["kokoro", "kokoro-82m"],
    });
  });

  it("are those of the provider for a model of a provider", () => {
    expect(voiceChoices(models, "cloud/tts").map(({ id }) => id)).toContain("verse");
    expect(voiceChoices(models, "cloud/tts").map(({ id }) => id)).not.toContain("af_bella");
  });
});

describe("the picker", () => {
  it("groups voices by language, named in the window's, which comes first", async () => {
    expect(shown()).toEqual([
      ["Any language", ...localVoices],
      ["US English", "af_bella", "af_sky"],
      ["UK English", "bm_daniel"],
      ["French", "ff_siwis"],
      ["German", "de_thorsten"],
    ]);
    await loadMessages("de");
    expect(shown().map(([label]) => label)).toEqual([
      "Jede Sprache",
      "Deutsch",
      "Englisch (USA)",
      "Englisch (GB)",
      "Französisch",
    ]);
  });

  it("filters by language, gender and pitch", () => {
    expect(shown(undefined, { language: "UK English" })).toEqual([["UK English", "bm_daniel"]]);
    expect(shown(undefined, { gender: "male" })).toEqual([
      ["Any language", "echo", "fable", "onyx"],
      ["UK English", "bm_daniel"],
      ["German", "de_thorsten"],
    ]);
    expect(shown(undefined, { language: "French", gender: "male" })).toEqual([]);
    expect(shown(undefined, { register: "low" })).toEqual([["US English", "af_sky"]]);
    expect(byId("af_sky").about).toBe("Woman, deep voice, slow");
    expect(byId("bm_daniel").about).toBe("Man, medium pitch and pace");
    expect(byId("af_bella").about).toBe("Woman");
  });

  it("begins with favourites and recently used voices, blends among them, without those that are gone", () => {
    const stored = {
      favourites: ["ff_siwis"],
      recent: ["af_bella(2)+bm_daniel(1)", "ff_siwis", "removed", "nova"],
    };
    expect(shown(stored).slice(0, 3)).toEqual([
      ["Favourites", "ff_siwis"],
      ["Recently used", "af_bella(2)+bm_daniel(1)", "nova"],
      ["Any language", ...localVoices],
    ]);
    expect(shown(stored, { language: "French" })).toEqual([
      ["Favourites", "ff_siwis"],
      ["French", "ff_siwis"],
    ]);
  });

  it("tells the language of a favourite", () => {
    const [favourites] = pickerGroups(
      machineVoices(models),
      { favourites: ["ff_siwis"], recent: [] },
      noFilter,
    );
    expect(favourites?.voices[0]?.about).toBe("Woman · French");
  });

  it("remembers the last five voices, each once", () => {
    expect(withRecent(["b", "a", "c", "d", "e"], "a")).toEqual(["a", "b", "c", "d", "e"]);
    expect(withRecent(["b", "a", "c", "d", "e"], "f")).toEqual(["f", "b", "a", "c", "d"]);
  });
});

describe("voice and model", () => {
  it("belong together: a voice takes a model that has it", () => {
    expect(modelForVoice("tts-1-hd", byId("de_thorsten"))).toBe("tts-1-hd");
    expect(modelForVoice("hibari", byId("af_bella"))).toBe("kokoro");
    expect(modelForVoice("kokoro-82m", byId("af_bella"))).toBe("kokoro-82m");
    expect(modelForVoice("hibari", byId("nova"))).toBe("hibari");
  });

  it("belong together: a model keeps a voice that it has", () => {
    expect(voiceForModel(models, "tts-1-hd", "de_thorsten")).toBe("de_thorsten");
    expect(voiceForModel(models, "hibari", "de_thorsten")).toBe("nova");
    expect(voiceForModel(models, "hibari", "af_bella+af_sky")).toBe("nova");
    expect(voiceForModel(models, "kokoro", "af_bella+af_sky")).toBe("af_bella+af_sky");
    expect(voiceForModel(models, "cloud/tts", "anyone")).toBe("anyone");
  });
});

describe("a blend", () => {
  it("has the name that was given to it, and else its formula", () => {
    const blend = "af_bella(2)+af_sky(1)";
    expect(unlistedVoice(blend, machineVoices(models)).name).toBe(blend);
    const { voices } = usePreferences.getState();
    usePreferences.setState({ voices: { ...voices, names: { [blend]: "Warm" } } });
    expect(unlistedVoice(blend, machineVoices(models))).toMatchObject({
      id: blend,
      name: "Warm",
      about: "bella 67%, sky 33%",
    });
    usePreferences.setState({ voices });
    expect(withName({ a: "One" }, "b", " Two ")).toEqual({ a: "One", b: "Two" });
    expect(withName({ a: "One" }, "a", " ")).toEqual({});
  });

  it("is named by its voices with the smallest whole weights", () => {
    expect(blendName("af_bella", "af_sky", 50)).toBe("af_bella(1)+af_sky(1)");
    expect(blendName("af_bella", "af_sky", 75)).toBe("af_bella(3)+af_sky(1)");
    expect(parseVoiceBlend(blendName("af_bella", "af_sky", 5))).toEqual([
      { id: "af_bella", weight: 1 },
      { id: "af_sky", weight: 19 },
    ]);
  });

  it("is offered elsewhere once it was used, while its voices are there", () => {
    const stored = {
      favourites: ["nova", "af_bella+af_sky"],
      recent: ["af_bella+af_sky", "gone+lost"],
    };
    expect(storedBlends(stored, machineVoices(models)).map(({ id }) => id)).toEqual([
      "af_bella+af_sky",
    ]);
  });

  it("takes the voices of the one family that mixes them, and tells their shares", () => {
    const voices = blendableVoices(models);
    expect(voices.map(({ id }) => id)).toEqual(["af_bella", "af_sky", "bm_daniel", "ff_siwis"]);
    expect(unlistedVoice("af_bella(3)+af_sky(1)", voices)).toMatchObject({
      name: "af_bella(3)+af_sky(1)",
      about: "bella 75%, sky 25%",
      language: "en-US",
      models: ["kokoro"],
    });
  });
});
