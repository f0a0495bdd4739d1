import { describe, expect, it } from "vitest";
import { findDialogueInSteps } from "../../../../main/text/script/find-dialogue.ts";
import { proposeCastInSteps } from "../../../../main/text/script/propose-cast.ts";
import { runToCompletion } from "../../../../main/processes/time-slices.ts";

const propose = (script: string) => runToCompletion(proposeCastInSteps(script, "Narrator"));
const speakersIn = (text: string) =>
  runToCompletion(findDialogueInSteps(text)).speeches.map(({ speaker }) => speaker);

const novel = `# The Harbour

The harbour was quiet that morning.

“You are early,” said Mara, pulling her coat closer. “And wet.”

“The tide does not wait,” Tom answered. He looked at the “old” lamp.

“It never does.”

“No.”

The wind rose.

She said, “Will you come?” The boat creaked.

"He will," the old keeper said. "He always does!"

Tom shook his head. “Not today.”

“Never,” I said.

Mrs. Lind called, “Supper!”
`;

describe("the cast of a novel", () => {
  it("is found in attributions, with lines and genders", () => {
    expect(propose(novel).roles).toEqual([
      { name: "Mara", gender: "female", lineCount: 3 },
      { name: "Tom", gender: "male", lineCount: 3 },
      { name: "Old keeper", lineCount: 1 },
      { name: "Mrs. Lind", gender: "female", lineCount: 1 },
    ]);
  });

  it("speaks by marks that leave every word in its place", () => {
    const { script } = propose(novel);
    expect(script.replaceAll(/\[[^\]]+\] /g, "")).toBe(novel);
    expect(script.split("\n\n").slice(1, 7)).toEqual([
      "The harbour was quiet that morning.",
      "[Mara] “You are early,” [Narrator] said Mara, pulling her coat closer. [Mara] “And wet.”",
      "[Tom] “The tide does not wait,” [Narrator] Tom answered. He looked at the “old” lamp.",
      "[Mara] “It never does.”",
      "[Tom] “No.”",
      "[Narrator] The wind rose.",
    ]);
  });

  it("is not proposed where nobody speaks, or where the script has marks", () => {
    expect(propose("He wrote “Emma” and left.").roles).toEqual([]);
    expect(propose(`[Mara] Hello. [pause 1s]\n\n${novel}`).roles).toEqual([]);
    expect(propose(`[pause 1s]\n\n${novel}`).roles).toHaveLength(4);
  });
});

describe("who says a quotation", () => {
  it("is told by a name before or after it", () => {
    expect(speakersIn("Then Anna Berg whispered: “Go.”\n\n“No,” he said.")).toEqual([
      undefined,
      undefined,
    ]);
    expect(speakersIn("Anna Berg whispered: “Go.”")).toEqual(["Anna Berg"]);
    expect(speakersIn("“Go,” cried Anna.\n\nAnna smiled. “Now.”")).toEqual(["Anna", "Anna"]);
  });

  it("is told by a pronoun from who was there last", () => {
    const text =
      "“Go,” said Anna, and she left.\n\n“Why?” said Ben, his face red.\n\nBen sat down.\n\n“So,” she called.";
    expect(speakersIn(text)).toEqual(["Anna", "Ben", "Anna"]);
  });

  it("stays open where two could have said it", () => {
    expect(speakersIn("“Go,” said Anna.\n\nAnna met Ben.\n\n“Now!”")).toEqual(["Anna", undefined]);
  });
});

it("is found in short steps, even if all is one paragraph", () => {
  expect([...findDialogueInSteps('"Hello," said Mara. '.repeat(500))].length).toBeGreaterThan(500);
});
