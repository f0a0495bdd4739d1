// A novel's script with marks for those who speak in it. Pure; takes linear time.

import type { CastProposal } from "../../contract/narration.ts";
import { innerSpeakerMarkPattern, parseLanguageTag } from "../../contract/script-marks.ts";
import { findDialogueInSteps, type Dialogue } from "./find-dialogue.ts";

/** More are hardly told apart by their voices; the narrator speaks for the others. */
const maxRoles = 24;

/** Pauses, marks of footnotes such as `1`, `*` and `a`, and remarks such as "Both brothers were imaginary." */
const noName = /^(?:pause\b.*|[^\p{L}]*|[*†‡].*|\p{Ll}|.*\p{L}{3}[.!?]|.{61,})$/iu;

/** @param narrator the name of the role for what nobody says */
export function* proposeCastInSteps(
  script: string,
  narrator: string,
): Generator<undefined, CastProposal> {
  // A script with names in brackets is cast already.
  for (const [, name = ""] of script.matchAll(innerSpeakerMarkPattern))
    if (!noName.test(name) && parseLanguageTag(name) === undefined) return { script, roles: [] };
  const { speeches, speakers } = yield* findDialogueInSteps(script);
  const roles = speakers
    .filter(({ name }) => name.toLowerCase() !== narrator.toLowerCase())
    .slice(0, maxRoles);
  const names = new Set(roles.map(({ name }) => name));
  return {
    script: yield* addMarks(script, speeches, narrator, names),
    roles: roles.map(({ name, gender, speechCount }) => ({
      name,
      ...(gender === undefined ? {} : { gender }),
      lineCount: speechCount,
    })),
  };
}

function* addMarks(
  script: string,
  speeches: Dialogue["speeches"],
  narrator: string,
  names: ReadonlySet<string>,
): Generator<undefined, string> {
  const parts: string[] = [];
  let current = narrator;
  let at = 0;
  const add = (end: number, speaker: string): void => {
    const text = script.slice(at, end);
    at = end;
    const first = /[\p{L}\p{N}]/u.exec(text);
    // What is not spoken stays with whoever speaks before it.
    if (first === null || speaker === current) return void parts.push(text);
    current = speaker;
    // Closing marks belong to the text before, all else to that after the mark.
    const lead = /^[^\p{L}\p{N}]*\n[ \t]*|^[,;.!?…\s]*/u.exec(text)?.[0].length ?? 0;
    const space = lead === 0 && at > text.length && !/\s$/.test(parts.at(-1) ?? " ") ? " " : "";
    parts.push(`${text.slice(0, lead)}${space}[${speaker}] ${text.slice(lead)}`);
  };
  for (const { start, end, speaker } of speeches) {
    yield;
    if (speaker === undefined || !names.has(speaker)) continue;
    add(start, narrator);
    add(end, speaker);
  }
  add(script.length, narrator);
  return parts.join("");
}
