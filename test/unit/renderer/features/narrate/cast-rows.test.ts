import { expect, it } from "vitest";
import { listCast } from "../../../../../renderer/features/narrate/cast/cast-rows.ts";
import { sentence } from "./sentences.ts";

it("lists who plays whom, with lines, time, and the voices that took over", () => {
  const spanish = { audioSec: 1, spokenBy: "ef_dora" };
  const mara = { speaker: "Mara", voice: "af_bella" };
  const sentences = [
    sentence("one", { audioSec: 2 }),
    sentence("two", spanish),
    sentence("three", { audioSec: 4, ...mara }),
    sentence("four", spanish),
    sentence("five", { ...spanish, ...mara }),
    sentence("six", { ...spanish, ...mara, spokenBy: "ff_siwis" }),
  ];
  const options = {
    cast: [{ name: "Mara", voice: "af_bella" }],
    narrator: "Narrator",
    voice: "nova",
    speed: 1,
  };
  expect(listCast(sentences, options)).toMatchObject([
    { name: "Narrator", lineCount: 2, durationSec: 4, takenOverBy: ["ef_dora"] },
    { name: "Mara", lineCount: 2, durationSec: 6, takenOverBy: ["ef_dora", "ff_siwis"] },
  ]);
});
