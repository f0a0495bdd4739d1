import { describe, expect, it } from "vitest";
import {
  assignPassage,
  findScriptMarks,
  findUncastNames,
  renameSpeaker,
  typedNameAt,
} from "../../../../../renderer/features/narrate/cast/speaker-marks.ts";

const roles = ["mara", "tom", "narrator"];
const known = {
  isRole: (name: string) => roles.includes(name.toLowerCase()),
  isVoice: (name: string) => name === "nova",
};
const assign = (script: string, before: string, name: string): string => {
  const { start, end, text } = assignPassage(script, script.indexOf(before), name, {
    narrator: "Narrator",
    known,
  });
  return script.slice(0, start) + text + script.slice(end);
};

describe("choosing who speaks a passage", () => {
  it("keeps the speaker of what follows", () => {
    expect(assign("One.\n\nTwo.\n\nThree.", "Two", "Mara")).toBe(
      "One.\n\n[Mara] Two.\n\n[Narrator] Three.",
    );
    expect(assign("[Tom] One.\nStill.\n\n\nTwo.", "Still", "Mara")).toBe(
      "[Mara] One.\nStill.\n\n\n[Tom] Two.",
    );
    expect(assign("One.\n\nTwo.", "Two", "Mara")).toBe("One.\n\n[Mara] Two.");
    expect(assign("One.\n\n[nova] Two.", "One", "Mara")).toBe("[Mara] One.\n\n[nova] Two.");
  });

  it("heeds and keeps the language of a paragraph", () => {
    expect(assign("[es] Uno.\n\nTwo.", "[es]", "Mara")).toBe("[Mara] [es] Uno.\n\n[Narrator] Two.");
    expect(assign("[es] [nova] Uno.\n\n[fr] [nova] Deux.", "[es]", "Mara")).toBe(
      "[es] [Mara] Uno.\n\n[fr] [nova] Deux.",
    );
  });

  it("removes a mark that says nothing new", () => {
    expect(assign("One.\n\n[Mara] Two.\n\n[Narrator] Three.", "[Mara]", "Narrator")).toBe(
      "One.\n\nTwo.\n\n[Narrator] Three.",
    );
    expect(assign("[Tom] One.\n\n[Mara] Two.\n\nThree.", "[Mara]", "tom")).toBe(
      "[Tom] One.\n\nTwo.\n\n[Mara] Three.",
    );
  });

  it("ends at the next mark, also within a line", () => {
    const line = '[Mara] "One," [Narrator] said Mara. [Mara] "Two."\n\nThree.';
    expect(assign(line, "[Narrator]", "Tom")).toBe(line.replace("[Narrator]", "[Tom]"));
    expect(assign(line, '[Mara] "Two', "Tom")).toBe(
      '[Mara] "One," [Narrator] said Mara. [Tom] "Two."\n\n[Mara] Three.',
    );
    expect(assign("[Tom] One.\n[Mara] Two.\nStill Mara.", "[Tom]", "nova")).toBe(
      "[nova] One.\n[Mara] Two.\nStill Mara.",
    );
  });
});

const marksIn = (script: string, isVoice: (name: string) => boolean = known.isVoice) =>
  findScriptMarks(script, { ...known, isVoice }).map(
    ({ kind, start, end }) => `${kind} ${script.slice(start, end)}`,
  );

describe("marks of a script", () => {
  it("are found where they count", () => {
    const script = "[nova] # Title\n  [Mara] Hello [pause 1,5s] you [nova] and [Tom] (x) [2]";
    expect(
      findScriptMarks(script, known).map(({ kind, start, end }) => [
        kind,
        script.slice(start, end),
      ]),
    ).toEqual([
      ["speaker", "[nova]"],
      ["heading", "#"],
      ["speaker", "[Mara]"],
      ["pause", "[pause 1,5s]"],
      ["speaker", "[Tom]"],
    ]);
    expect(findScriptMarks("a\n[pause 250ms] b", known, { start: 2, end: 17 })).toEqual([
      { kind: "pause", sec: 0.25, start: 2, end: 15 },
    ]);
  });

  it("include languages, unless a role or a voice has that name", () => {
    expect(marksIn("[nova] [es] # Uno.\n[pt-BR] Dois [es].")).toEqual([
      "speaker [nova]",
      "language [es]",
      "heading #",
      "language [pt-BR]",
    ]);
    expect(marksIn("[es] Uno.", (name) => name === "es")).toEqual(["speaker [es]"]);
  });

  it("are renamed everywhere, and other text is kept", () => {
    expect(renameSpeaker("[nova] One [nova] two.\n[NOVA] Three.", "nova", "Mara", known)).toBe(
      "[Mara] One [nova] two.\n[NOVA] Three.",
    );
    expect(renameSpeaker("[mara] One [Mara] two.", "Mara", "Tom", known)).toBe(
      "[Tom] One [Tom] two.",
    );
  });

  it("that nobody plays are listed by frequency", () => {
    const script = "[Ann] A\n[Bea] B\n[Mara] C\n[Bea] D\n[Pause 2s] E\n[x] F [Cid] G\n[Bea](/b/) H";
    expect(findUncastNames(script, known)).toEqual(["Bea", "Ann"]);
  });
});

it("tells a name that is being typed, and the rest of the one it replaces", () => {
  expect(typedNameAt("One.\n [Ma", 9)).toEqual({
    typed: "Ma",
    start: 6,
    end: 9,
    isAtLineStart: true,
  });
  expect(typedNameAt("He [Mara] x", 6)).toMatchObject({ typed: "Ma", start: 3, end: 10 });
  expect(typedNameAt("He [Mara] x", 9)).toBeUndefined();
  expect(typedNameAt("[Ma\nra", 6)).toBeUndefined();
});
