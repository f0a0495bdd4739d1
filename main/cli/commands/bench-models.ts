// hearsay models bench: measures models on clips with known text, those that come with the app or one of the person's.

import { randomUUID } from "node:crypto";
import { readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { parseLanguage } from "../../contract/languages.ts";
import type { Measurement } from "../../contract/measurements.ts";
import type { ListedModel } from "../../contract/window-api.ts";
import { mkdir, writeFile } from "../../storage/disk.ts";
import { AnswerError, type AppClient } from "../app-client.ts";
import { type CommandContext, commandError, text, UsageError } from "./command.ts";
import { fileError } from "./system-error.ts";
import { table } from "./table.ts";

type BenchClip = { name: string; path: string; language: string; text: string };

type Row = { readonly measured: Measurement; readonly tookSec: number };

const transcription = z.object({ text: z.string(), duration: z.number().optional() });

/** Prints a table, and stores what was measured. Each model first transcribes a clip that does not count. */
export async function benchModels(context: CommandContext, client: AppClient): Promise<void> {
  const models = await chooseModels(context, client);
  const folder = join(tmpdir(), `hearsay-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  try {
    const clips = await chooseClips(context, client, folder);
    const rows: Row[] = [];
    for (const model of models) {
      const known = clips.filter(({ language }) => knows(model, language));
      const [first] = known;
      if (first === undefined) {
        context.warn(`${model.id} knows the language of no clip`);
        continue;
      }
      try {
        context.progress.show(undefined, `${model.id}: loading`);
        await transcribe(client, model.id, first);
        for (const [index, clip] of known.entries()) {
          context.progress.show(index / known.length, `${model.id}: ${clip.name}`);
          rows.push(await measure(client, model.id, clip));
        }
      } catch (error) {
        if (!(error instanceof AnswerError)) throw error;
        context.warn(`${model.id}: ${error.message}`);
      } finally {
        context.progress.clear();
      }
    }
    await context.print(context.values["json"] === true ? toJson(rows) : toTable(rows));
    if (rows.length === 0) throw commandError("nothing was measured");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A model without a list of languages may know any. */
const knows = ({ languages }: ListedModel, language: string): boolean =>
  languages === undefined || languages.includes(language);

/** Default: the recognizers of this machine. */
async function chooseModels(context: CommandContext, client: AppClient): Promise<ListedModel[]> {
  const { models } = await client.call("listModels");
  const ready = models.filter(({ state, kind }) => state === "ready" && kind !== "text-to-speech");
  const named = text(context, "models");
  if (named === undefined) return ready.filter(({ family }) => family !== undefined);
  return named.split(",").map((id) => {
    const model = ready.find((each) => each.id === id.trim());
    if (model === undefined) throw commandError(`there is no model '${id}' that can transcribe`);
    return model;
  });
}

async function chooseClips(
  context: CommandContext,
  client: AppClient,
  folder: string,
): Promise<BenchClip[]> {
  const [clip, textPath] = [text(context, "clip"), text(context, "text")];
  if ((clip === undefined) !== (textPath === undefined))
    throw new UsageError("--clip needs --text FILE, with what is said in it");
  const language = parseLanguage(text(context, "language") ?? "en");
  if (language === undefined) throw new UsageError("--language is no language code or name");
  if (clip !== undefined && textPath !== undefined)
    return [
      {
        name: basename(clip),
        path: await readable(clip, realpath(clip)),
        language,
        text: await readable(textPath, readFile(textPath, "utf8")),
      },
    ];
  const { clips } = await client.call("listMeasurements");
  return Promise.all(
    clips
      .filter((each) => text(context, "language") === undefined || each.language === language)
      .map(async ({ id, ...each }) => {
        const path = join(folder, `${id}.webm`);
        const chunks: Uint8Array[] = [];
        for await (const bytes of client.download(`/app/models/clips/${id}`)) chunks.push(bytes);
        await writeFile(path, Buffer.concat(chunks));
        return { ...each, name: id, path };
      }),
  );
}

const readable = <Result>(path: string, reading: Promise<Result>): Promise<Result> =>
  reading.catch((error: unknown) => Promise.reject(fileError(error, path, "read")));

async function transcribe(
  client: AppClient,
  model: string,
  { path, language }: BenchClip,
): Promise<z.infer<typeof transcription>> {
  const updates = client.stream("transcribe", {
    task: "transcribe",
    model,
    path,
    language,
    temperature: 0,
    wordTimes: false,
    format: "verbose_json",
  });
  for await (const event of updates)
    if (event.type === "done") return transcription.parse(JSON.parse(event.text));
  throw new AnswerError("the transcription ended without a result");
}

async function measure(client: AppClient, model: string, clip: BenchClip): Promise<Row> {
  const startMs = performance.now();
  const result = await transcribe(client, model, clip);
  const tookSec = (performance.now() - startMs) / 1000;
  const { parts: _, ...measured } = await client.call("addMeasurement", {
    model,
    clip: clip.name,
    language: clip.language,
    expected: clip.text,
    text: result.text,
    ...(result.duration === undefined ? {} : { durationSec: result.duration }),
    tookSec,
  });
  return { measured, tookSec };
}

const toJson = (rows: readonly Row[]): string =>
  `${JSON.stringify({ measurements: rows.map(({ measured }) => measured) }, null, 2)}\n`;

function toTable(rows: readonly Row[]): string {
  const lines = [...rows.map(({ measured }) => measured), ...totalsOf(rows)];
  return table(
    [
      ["model", "clip", "language", "errors", "speed", "memory"],
      ...lines.map(({ model, clip, language, rate, speed, memoryBytes }) => [
        model,
        clip,
        language,
        `${(rate * 100).toFixed(1)} %`,
        speed === undefined ? "" : `${speed.toFixed(1)} x`,
        memoryBytes === undefined ? "" : `${(memoryBytes / 1e6).toFixed(0)} MB`,
      ]),
    ],
    [3, 4, 5],
  );
}

type TableLine = Pick<Measurement, "model" | "clip" | "language" | "rate"> & {
  speed?: number | undefined;
  memoryBytes?: number | undefined;
};

/** Of each model and language with several clips. */
const totalsOf = (rows: readonly Row[]): TableLine[] =>
  [...Map.groupBy(rows, ({ measured }) => `${measured.model}\n${measured.language}`).values()]
    .filter(({ length }) => length > 1)
    .map((clips) => {
      const sum = (valueOf: (clip: Row) => number): number =>
        clips.reduce((total, clip) => total + valueOf(clip), 0);
      const { model, language, memoryBytes } = (clips.at(-1) as Row).measured;
      const errors = sum(({ measured: { rate, length } }) => rate * length);
      const audioSec = sum(({ measured: { speed = Number.NaN }, tookSec }) => speed * tookSec);
      const speed = audioSec / sum(({ tookSec }) => tookSec);
      return {
        model,
        clip: `all ${clips.length}`,
        language,
        rate: errors / sum(({ measured }) => measured.length),
        speed: Number.isNaN(speed) ? undefined : speed,
        memoryBytes,
      };
    });
