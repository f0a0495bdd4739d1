// Kokoro in the whole app: the memory of its process, and the time of a dialogue of two voices against that of one.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { splitSentences } from "../../main/text/sentences.ts";
import { fourThousandCharacters } from "../support/english-texts.ts";
import { type Results, type Row, skipped } from "../support/report.ts";
import { elapsedMs, fastest, measureInTurns } from "./rounds.ts";
import type { ServedApp } from "./served-app.ts";

const dialogueRounds = 3;
const pair = ["af_bella", "am_michael"] as const;
/** About 1,800 characters, as many sentences for each voice. */
const lines = splitSentences(fourThousandCharacters.slice(0, 1800))
  .map(({ text }) => text)
  .slice(0, -1);

export async function benchKokoro(app: ServedApp, area: string): Promise<Results> {
  const dialogue = await benchDialogue(app, area);
  // After two pages and a dialogue, both sessions have met their longest chunks.
  return { rows: [...dialogue.rows, ...memoryRows(app, area)], raw: dialogue.raw };
}

/** Who speaks a line. */
type Casting = (index: number) => string;

async function benchDialogue(app: ServedApp, area: string): Promise<Results> {
  const generate = (voiceOf: Casting) => () => elapsedMs(() => narrate(app, voiceOf));
  const [one, other] = pair;
  const ms = await measureInTurns(dialogueRounds, {
    one: generate(() => one),
    dialogue: generate((index) => (index % 2 === 0 ? one : other)),
    other: generate(() => other),
  });
  // The voices differ in pace, so a dialogue should take as long as both take on average.
  const value = (2 * fastest(ms.dialogue)) / (fastest(ms.one) + fastest(ms.other));
  const row: Row = {
    area,
    what: "a dialogue of two voices, of the mean time of either alone",
    value,
    unit: "×",
    goal: { max: 1.05 },
    note: `${lines.length} lines`,
  };
  return { rows: [row], raw: { dialogueMs: ms } };
}

/** Generates a new narration and removes it: another one of the same text would get copies of its takes. */
async function narrate({ baseUrl, headers }: ServedApp, voiceOf: Casting): Promise<void> {
  async function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  }
  const script = lines.map((line, index) => `[${voiceOf(index)}] ${line}`).join("\n\n");
  const { id } = (await send("POST", "/app/narrations", { script })) as { id: string };
  await send("POST", `/app/items/${id}/make`, {});
  for (;;) {
    const { state } = (await send("GET", `/app/items/${id}`)) as { state: string };
    if (state === "done") break;
    if (state === "failed" || state === "cancelled") throw new Error(`the narration is ${state}`);
    await pause(50);
  }
  await send("DELETE", `/app/items/${id}`, {});
}

const memoryGoalMb = 850;

function memoryRows({ pid }: ServedApp, area: string): Row[] {
  const what = "memory of Kokoro's process, each physical page counted once";
  if (process.platform !== "linux") return [skipped(area, what, "not Linux")];
  const memories = descendantsOf(pid)
    .map(readMappings)
    .filter((mappings) => mappings.some(({ path }) => path.endsWith("/kokoro.onnx")))
    .map((mappings) => ({ residentMb: residentMb(mappings), onceMb: countedOnceMb(mappings) }));
  const [memory] = memories;
  if (memory === undefined || memories.length > 1)
    return [skipped(area, what, `${memories.length} processes hold Kokoro`)];
  return [
    {
      area,
      what,
      value: memory.onceMb,
      unit: "MB",
      goal: { max: memoryGoalMb },
      note: `resident ${memory.residentMb.toFixed(0)} MB, in which each session counts the weights`,
    },
  ];
}

type Mapping = { readonly range: string; readonly path: string; readonly residentKb: number };

/** `range`: what part of which file; empty for memory that no file is behind. */
function readMappings(pid: number): Mapping[] {
  const sections = readFileSync(`/proc/${pid}/smaps`, "utf8").split(/^(?=[\da-f]+-[\da-f]+ )/m);
  return sections.map((section) => {
    const [, start = "", end = "", offset = "", inode = "0", path = ""] =
      /^([\da-f]+)-([\da-f]+) \S+ ([\da-f]+) \S+ (\d+)\s*(.*)/.exec(section) ?? [];
    const size = Number.parseInt(end, 16) - Number.parseInt(start, 16);
    return {
      range: inode === "0" ? "" : `${inode} ${offset} ${size}`,
      path,
      residentKb: Number(/^Rss:\s+(\d+)/m.exec(section)?.[1] ?? 0),
    };
  });
}

const toMb = (kb: number): number => (1024 * kb) / 1e6;

const residentMb = (mappings: readonly Mapping[]): number =>
  toMb(mappings.reduce((sum, { residentKb }) => sum + residentKb, 0));

/** Of mappings of the same part of a file, the one of which most is resident. */
function countedOnceMb(mappings: readonly Mapping[]): number {
  const [own, ofFiles] = [true, false].map((isOwn) =>
    mappings.filter(({ range }) => (range === "") === isOwn),
  ) as [Mapping[], Mapping[]];
  const once = [...Map.groupBy(ofFiles, ({ range }) => range).values()].map((same) =>
    Math.max(...same.map(({ residentKb }) => residentKb)),
  );
  return residentMb(own) + toMb(once.reduce((sum, kb) => sum + kb, 0));
}

function descendantsOf(pid: number): number[] {
  const parents = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const isDescendant = (each: number): boolean => {
    const parent = parents.get(each);
    return parent !== undefined && (parent === pid || isDescendant(parent));
  };
  return [...parents.keys()].filter(isDescendant);
}

/** The field after the name in brackets, which may hold spaces, and the state. Undefined if the process has ended. */
function parentOf(pid: string): number | undefined {
  try {
    const [, ppid] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(ppid);
  } catch {
    return undefined;
  }
}
