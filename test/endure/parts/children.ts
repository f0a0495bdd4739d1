// Engine processes are killed, stopped and grown beyond their limit every few seconds while an app serves requests, and
// the library process is killed and stopped: every other request must get a correct response. Then the app itself is
// killed while processes of every kind work: none may outlive it.

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { zipSync } from "fflate";
import { openDatabase } from "../../../main/storage/database.ts";
import { createItems } from "../../../main/library/items.ts";
import { libraryPath } from "../../../main/library/recovery/open-library.ts";
import {
  type ChildKind,
  childProcesses,
  isRunning,
  canListProcesses,
} from "../../support/child-processes.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { epubBytes } from "../../support/hostile-documents.ts";
import { mp3WithCompressedPictures } from "../../support/hostile-media.ts";
import { type Row, skipped } from "../../support/report.ts";
import { encodeAudio, noise } from "../../support/test-audio.ts";
import { normalizeWords, writeAudioFile, synthesizeSamples } from "../../support/test-data.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const sentence = "The ferry leaves at nine, whatever the weather may be.";
const workers = 2;
const area = "children";
/** In real use this happens rarely. A request that loses its process six times would fail. */
const harmIntervalMs = 3000;
const searchIntervalMs = 200;
const harms: readonly ("bomb" | { kind: ChildKind; by: NodeJS.Signals })[] = [
  { kind: "engine", by: "SIGKILL" },
  { kind: "engine", by: "SIGSTOP" },
  "bomb",
  { kind: "library", by: "SIGKILL" },
  { kind: "library", by: "SIGSTOP" },
];
const shortRounds = 5;
/** Less than the duration of each of the tasks. */
const exitTimeoutSec = 4;
const startTimeoutMs = 90_000;
/** Size of a library whose copy takes seconds. */
const largeMb = 600;

export const part: EndurePart = { defaultMinutes: 3, run };

async function run(context: EndureContext): Promise<Row[]> {
  if (!canListProcesses)
    return [
      {
        ...skipped(area, "requests answered wrong", "engine processes are seen on Linux alone"),
        goal: { max: 0 },
      },
    ];
  const { scratchDir, isShort } = context;
  const audio = await readFile(
    await writeAudioFile(join(scratchDir, "ferry.mp3"), await synthesizeSamples(sentence)),
  );
  const bomb = mp3WithCompressedPictures(
    16,
    Buffer.from(encodeAudio(noise(0.5, 48_000), 48_000, "mp3")),
  );
  const app = await startHearsay({ workers });
  const served = await serveWhileHarming(app, { audio, bomb }, context);
  const orphans = await killBusyApp(app, { audio, ...longTasks() });
  const copyRows: Row[] = isShort
    ? []
    : [
        {
          area,
          what: `processes alive ${exitTimeoutSec} s after the app was killed while its library was copied`,
          value: (await killWhileCopying()).length,
          unit: "",
          goal: { max: 0 },
        },
      ];
  return [
    {
      area,
      what: "requests answered",
      value: served.count,
      unit: "",
      goal: { min: 1 },
      note: `${served.harmCount} processes harmed`,
    },
    {
      area,
      what: "innocent requests answered wrong",
      value: served.wrong.length,
      unit: "",
      goal: { max: 0 },
      note: served.wrong.slice(0, 3).join("; "),
    },
    {
      area,
      what: "bombs answered with anything but 400",
      value: served.survived,
      unit: "",
      goal: { max: 0 },
    },
    {
      area,
      what:
        `processes alive ${exitTimeoutSec} s after the app was killed: ` +
        "engines, the library's, an archive's and a document's, two of them stopped",
      value: orphans.length,
      unit: "",
      goal: { max: 0 },
    },
    ...copyRows,
  ];
}

type Served = { count: number; harmCount: number; survived: number; wrong: string[] };

async function serveWhileHarming(
  app: HearsayProcess,
  { audio, bomb }: { audio: Uint8Array; bomb: Uint8Array },
  { random, minutes, isShort, log }: EndureContext,
): Promise<Served> {
  const served: Served = { count: 0, harmCount: 0, survived: 0, wrong: [] };
  const expected = normalizeWords(await transcribe(app, audio).then(({ text }) => text));
  const stopped = new AbortController();
  const client = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const { status, text } = await transcribe(app, audio);
      served.count += 1;
      if (status !== 200 || normalizeWords(text) !== expected)
        served.wrong.push(`${status} ${text.slice(0, 100)}`);
    }
  };
  const searcher = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const response = await search(app);
      served.count += 1;
      if (response.status !== 200)
        served.wrong.push(`${response.status} ${(await response.text()).slice(0, 100)}`);
      await pause(searchIntervalMs);
    }
  };
  const clients = [...Array.from({ length: workers + 1 }, client), searcher()];
  const endMs = performance.now() + minutes * 60_000;
  for (let round = 0; isShort ? round < shortRounds : performance.now() < endMs; round += 1) {
    await pause(harmIntervalMs * (0.5 + random()));
    const harm = harms[round % harms.length] ?? "bomb";
    if (harm === "bomb") served.survived += (await transcribe(app, bomb)).status === 400 ? 0 : 1;
    else {
      const pids = childProcesses(app.pid, harm.kind);
      signal(pids[Math.floor(random() * pids.length)] ?? 0, harm.by);
    }
    served.harmCount += 1;
    if (round % 10 === 9)
      log(`${served.harmCount} harmed, ${served.count} requests, ${served.wrong.length} wrong`);
  }
  stopped.abort();
  await Promise.all(clients);
  return served;
}

const search = (app: HearsayProcess): Promise<Response> =>
  fetch(new URL("/app/search?q=ferry", app.baseUrl), {
    headers: { authorization: `Bearer ${app.key}` },
  });

async function transcribe(
  app: HearsayProcess,
  audio: Uint8Array,
): Promise<{ status: number; text: string }> {
  const form = new FormData();
  form.set("model", "moonshine-base");
  form.set("response_format", "text");
  form.set("file", new Blob([new Uint8Array(audio)]), "sound.mp3");
  const response = await app.request("/audio/transcriptions", { method: "POST", body: form });
  return { status: response.status, text: await response.text() };
}

type LongTasks = { archive: Uint8Array; document: Uint8Array };

/** Files that keep their reader busy for seconds, during which it does not notice the end of its parent by itself. */
function longTasks(): LongTasks {
  const folder = "a 0123456789abcdef";
  return {
    archive: zipSync({
      [`${folder}/item.json`]: Buffer.from("{}"),
      [`${folder}/document.json`]: Buffer.from(`[${"[],".repeat(20_000_000)}[]]`),
    }),
    document: epubBytes({ chapter: "<p>a</p>".repeat(2_000_000) }),
  };
}

/** @returns ids of processes that still exist */
async function killBusyApp(
  app: HearsayProcess,
  { audio, archive, document }: { audio: Uint8Array } & LongTasks,
): Promise<number[]> {
  const send = (path: string, body?: Uint8Array): Promise<unknown> =>
    fetch(new URL(path, app.baseUrl), {
      headers: { authorization: `Bearer ${app.key}` },
      ...(body === undefined ? {} : { method: "POST", body: new Uint8Array(body) }),
    }).catch(() => undefined);
  // Wait until all of them are working.
  const requests = [
    ...Array.from({ length: workers * 2 }, () => transcribe(app, audio).catch(() => undefined)),
    send("/app/library/import", archive),
    send("/app/scripts?name=book.epub", document),
    send("/app/search?q=ferry"),
  ];
  const childPids = await Promise.all([
    waitForChildren(app, "engine", workers),
    waitForChildren(app, "archive"),
    waitForChildren(app, "document"),
    waitForChildren(app, "library"),
  ]);
  for (const [pid] of [childPids[0], childPids[3]]) signal(pid ?? 0, "SIGSTOP");
  const survivors = await killAndFindSurvivors(app, childPids.flat());
  await Promise.all(requests);
  return survivors;
}

/** @returns id of the copying process if it still exists */
async function killWhileCopying(): Promise<number[]> {
  const app = await startHearsay({ prepareDataDir: largeLibrary });
  return killAndFindSurvivors(app, await waitForChildren(app, "copy"));
}

async function largeLibrary(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const database = openDatabase(libraryPath(dataDir));
  // A library without content is not copied.
  createItems(database, { dataDir }).create({
    kind: "transcript",
    title: "Kept",
    source: "file",
    state: "done",
  });
  for (let mb = 0; mb < largeMb; mb += 1)
    database.write(() =>
      database.sqlite
        .prepare("INSERT INTO settings VALUES (?, hex(randomblob(524288)))")
        .run(`filler ${mb}`),
    );
  database.close();
}

/** The ids, once there are at least `count` processes. */
async function waitForChildren(app: HearsayProcess, kind: ChildKind, count = 1): Promise<number[]> {
  const untilMs = performance.now() + startTimeoutMs;
  for (;;) {
    const pids = childProcesses(app.pid, kind);
    if (pids.length >= count) return pids;
    if (performance.now() > untilMs)
      throw new Error(`the app started no process of the kind ${kind}: ${app.log().slice(-500)}`);
    await pause(20);
  }
}

/** Kills the app. @returns ids of its processes that still exist after `exitTimeoutSec`; they are killed, too */
async function killAndFindSurvivors(
  app: HearsayProcess,
  pids: readonly number[],
): Promise<number[]> {
  process.kill(app.pid, "SIGKILL");
  const untilMs = performance.now() + exitTimeoutSec * 1000;
  while (pids.some(isRunning) && performance.now() < untilMs) await pause(50);
  const survivors = pids.filter(isRunning);
  for (const pid of survivors) signal(pid, "SIGKILL");
  await app.close();
  return survivors;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, name);
  } catch {
    // It has exited in the meantime.
  }
}
