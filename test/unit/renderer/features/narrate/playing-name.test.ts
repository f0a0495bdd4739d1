import { beforeAll, expect, it } from "vitest";
import { playingName } from "../../../../../renderer/features/narrate/cast/playing-name.ts";
import { loadMessages } from "../../../../../renderer/messages/messages.ts";

beforeAll(() => loadMessages("en"));

const cast = [{ name: "Narrator" }, { name: "Mara", voice: "af_bella" }];

it("names the role that speaks, the narrator included", () => {
  const options = { model: "tts-1-hd", cast };
  expect(playingName(options, { speaker: "mara", voice: "af_bella" })).toBe("Mara");
  expect(playingName(options, { voice: "nova" })).toBe("Narrator");
});

it("names the voice that took over, too", () => {
  const spanish = { voice: "nova", spokenBy: "ef_dora" };
  expect(playingName({ model: "tts-1-hd" }, spanish)).toBe("Nova (voice: ef_dora)");
  expect(playingName({ model: "tts-1-hd", cast }, { ...spanish, speaker: "Mara" })).toBe(
    "Mara (voice: ef_dora)",
  );
});

it("names the voice where no role speaks", () => {
  expect(playingName({ model: "tts-1-hd" }, { voice: "nova" })).toBe("Nova");
  expect(playingName({ model: "tts-1-hd", cast }, { speaker: "onyx", voice: "onyx" })).toBe("Onyx");
});
