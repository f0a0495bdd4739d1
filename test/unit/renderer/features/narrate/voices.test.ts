import { expect, it } from "vitest";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import { listedVoices } from "../../../../../renderer/features/narrate/voices.ts";

const voice = (id: string) => ({ id, name: id, character: "", language: "en" });
const model = (channel: string, ...voices: string[]) =>
  ({ id: `${channel}-model`, channel, voices: voices.map(voice) }) as unknown as ListedModel;

it("lists each voice of this machine's models once", () => {
  const models = [model("local", "bella", "sky"), model("local", "sky"), model("cloud", "verse")];
  expect(listedVoices(models).map(({ id }) => id)).toEqual(["bella", "sky"]);
  expect(listedVoices([{ id: "tts-1", channel: "local" } as ListedModel])).toEqual([]);
});
