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
    expect(propose(`[es] «Hola.»\n\n${novel}`).roles).toHaveLength(4);
    expect(propose(`[Mara] Hello. [pause 1s]\n\n${novel}`).roles).toEqual([]);
    expect(propose(`[pause 1s]\n\n${novel}`).roles).toHaveLength(4);
    for (const remark of ["Applause.", "He smiled at her!", '* Southern for "afternoon"'])
      expect(propose(`${novel}\n\nA note. [${remark}]`).roles).toHaveLength(4);
    expect(propose(`[1] A note. [*] [a]\n\n${novel}`).roles).toHaveLength(4);
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

/** Each speech as `speaker: words`. */
const linesOf = (text: string): string[] =>
  runToCompletion(findDialogueInSteps(text)).speeches.map(
    ({ start, end, speaker = "-" }) =>
      `${speaker}: ${text.slice(start, end).replaceAll(/^[\s—„“»«‘']+|[\s,“”»«’']+$/g, "")}`,
  );
const castOf = (text: string): string[] =>
  propose(text).roles.map(({ name, gender = "?" }) => `${name} ${gender}`);

describe("novels in other languages", () => {
  it("have German quotation marks, and articles that tell the gender", () => {
    const german = `Der Hafen lag still an diesem Morgen, und das Wasser war grau.

„Du bist früh“, sagte Mara und zog ihren Mantel enger. „Und nass.“

»Die Flut wartet nicht«, antwortete Jonas. Er sah nach der »alten« Lampe.

„Kommst du mit?“, fragte sie leise.

„Heute nicht“, brummte der alte Wärter. „Vielleicht morgen.“

Da sagte Jonas zu ihr: „Wir kommen gleich.“

Dann rief die Frau:

„Das Essen ist fertig!“`;
    expect(linesOf(german)).toEqual([
      "Mara: Du bist früh",
      "Mara: Und nass.",
      "Jonas: Die Flut wartet nicht",
      "Mara: Kommst du mit?",
      "Der alte Wärter: Heute nicht",
      "Der alte Wärter: Vielleicht morgen.",
      "Jonas: Wir kommen gleich.",
      "Frau: Das Essen ist fertig!",
    ]);
    expect(castOf(german)).toContain("Der alte Wärter male");
    expect(castOf(german)).toContain("Frau female");
  });

  it("have French dashes, and attributions within a speech", () => {
    const french = `Le port était calme ce matin-là, et la mer était grise comme les pierres.

« Tu es en avance, dit Mara, et tu es trempé. »

— La marée n’attend pas, répondit Jean. Il regarda la lampe.
— Elle n’attend jamais.
— Viens-tu avec nous ? demanda-t-elle en riant. Il est tard.

— Non, murmura le vieil homme. Demain peut-être.

Puis Jean cria :

« Nous venons ! »

— Moi, je reste, dis-je.`;
    expect(linesOf(french)).toEqual([
      "Mara: Tu es en avance",
      "Mara: et tu es trempé.",
      "Jean: La marée n’attend pas",
      "Mara: Elle n’attend jamais.",
      "Mara: Viens-tu avec nous ?",
      "Vieil homme: Non",
      "Vieil homme: Demain peut-être.",
      "Jean: Nous venons !",
      "-: Moi, je reste",
    ]);
    expect(propose(french).script.replaceAll(/ ?\[[^\]]+\] /g, " ")).toContain(
      "— Non, murmura le vieil homme.",
    );
  });

  it("have Spanish dashes around what the narrator says", () => {
    const spanish = `El puerto estaba tranquilo aquella mañana, y el mar era gris como las piedras.

—Llegas temprano —dijo Mara, cerrándose el abrigo—. Y estás mojado.

—La marea no espera —respondió Tomás. Miró la lámpara.
—Nunca espera.

—Hoy no —murmuró el viejo—. Quizá mañana.

Entonces Tomás preguntó: «¿Vamos?»

«Ya vamos», dijo doña Lucía.`;
    expect(linesOf(spanish)).toEqual([
      "Mara: Llegas temprano",
      "Mara: Y estás mojado.",
      "Tomás: La marea no espera",
      "Mara: Nunca espera.",
      "Viejo: Hoy no",
      "Viejo: Quizá mañana.",
      "Tomás: ¿Vamos?",
      "Doña Lucía: Ya vamos",
    ]);
  });
});

it("finds speeches in single quotation marks, which apostrophes do not end", () => {
  expect(
    linesOf(`The boys’ boats were gone, said the ‘old’ men.

‘You’re early,’ said Mara. ‘And the boys’ boats aren’t in.’

'It can't wait,' Tom answered. 'Don't ask.'`),
  ).toEqual([
    "Mara: You’re early",
    "Mara: And the boys’ boats aren’t in.",
    "Tom: It can't wait",
    "Tom: Don't ask.",
  ]);
});

it("is found in short steps, even if all is one paragraph", () => {
  expect([...findDialogueInSteps('"Hello," said Mara. '.repeat(500))].length).toBeGreaterThan(500);
});
