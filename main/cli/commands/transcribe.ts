// hearsay transcribe and hearsay translate: media files become text.

import { mkdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type { Transcript, TranscriptionJob } from "../../contract/speech.ts";
import { transcriptFormats, type TranscriptFormat } from "../../contract/openai.ts";
import {
  type Command,
  type CommandContext,
  engineSettings,
  numberBetween,
  oneOf,
  text,
  UsageError,
} from "./command.ts";
import { fileError } from "./system-error.ts";
import { keepInputs, namesFolder, openWholeFile } from "./whole-file.ts";

const extensions: Record<TranscriptFormat, string> = {
  text: "txt",
  srt: "srt",
  vtt: "vtt",
  json: "json",
  verbose_json: "json",
};

export const transcribe = hearingCommand("transcribe", "turn audio and video files into text");
export const translate = hearingCommand("translate", "turn speech into English text");

function hearingCommand(task: TranscriptionJob["task"], summary: string): Command {
  return {
    usage: `${task} FILE... [--format srt] [--out FILE|FOLDER]`,
    summary,
    options: {
      format: { type: "string" },
      model: { type: "string", default: "whisper-1" },
      language: { type: "string" },
      prompt: { type: "string" },
      temperature: { type: "string" },
      words: { type: "boolean" },
      out: { type: "string", short: "o" },
    },
    settings: engineSettings,
    help: {
      format: `${transcriptFormats.join(", ")} (by the name of the file, else text)`,
      model: "which model hears (whisper-1)",
      language: "language spoken, as a code or a name",
      prompt: "names and spellings to expect; Whisper heeds it, Moonshine does not",
      temperature: "0 to 1; above 0 the model samples (0)",
      words: "times of words too; the format is verbose_json",
      out: "write there instead of to standard output; a folder for several files",
    },
    run: (context) => hearFiles(task, context),
  };
}

async function hearFiles(task: TranscriptionJob["task"], context: CommandContext): Promise<number> {
  if (context.positionals.length === 0) throw new UsageError("name at least one file");
  const format = formatOf(context);
  const job = options(task, context);
  const outPaths = await targets(context, format);
  await keepInputs(context.positionals, outPaths ?? []);
  const app = await context.app();
  await app.ready(job.model);
  let failures = 0;
  for (const [index, path] of context.positionals.entries()) {
    const outPath = outPaths?.[index];
    // Opened before the work, which would be lost on a folder that cannot be written to.
    const file = outPath === undefined ? undefined : await openWholeFile(outPath);
    try {
      const transcript = await hearFile(context, path, job);
      const body = await app.formatTranscript(transcript, {
        task,
        format,
        granularities: job.wordTimes ? ["word", "segment"] : ["segment"],
      });
      // Of silence not even an empty line.
      const ended = body.trim() === "" ? "" : body.endsWith("\n") ? body : `${body}\n`;
      await (file === undefined ? context.print(ended) : file.write(ended));
      await file?.finish();
      if (ended === "" && transcript.failed.length === 0)
        context.warn(`${path}: no speech was found`);
      failures += transcript.failed.length > 0 ? 1 : 0;
    } catch (error) {
      if (context.signal.aborted || !(error instanceof AppError)) throw error;
      context.warn(`${path}: ${error.message}`);
      failures += 1;
    } finally {
      await file?.discard();
    }
  }
  return failures === 0 ? 0 : 1;
}

function options(
  task: TranscriptionJob["task"],
  context: CommandContext,
): Omit<TranscriptionJob, "mediaPath"> {
  const named = text(context, "language");
  const language = named === undefined ? undefined : parseLanguage(named);
  if (named !== undefined && language === undefined)
    throw new UsageError(`--language '${named}' is no language code or name`);
  const prompt = text(context, "prompt");
  return {
    task,
    model: text(context, "model") ?? "whisper-1",
    temperature: numberBetween(context, "temperature", 0, 1) ?? 0,
    wordTimes: context.values["words"] === true,
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

/** Only one format has times of words. */
function formatOf(context: CommandContext): TranscriptFormat {
  const asked = oneOf(context, "format", transcriptFormats);
  const byName = formatByName(context);
  if (context.values["words"] !== true) return asked ?? byName ?? "text";
  const other = asked ?? (byName === "json" ? undefined : byName);
  if (other !== undefined && other !== "verbose_json")
    throw new UsageError(`--words gives verbose_json, not ${other}`);
  return "verbose_json";
}

/** `--out talk.srt` asks for subtitles. */
function formatByName({ values: { out } }: CommandContext): TranscriptFormat | undefined {
  const extension = typeof out === "string" ? extname(out).slice(1).toLowerCase() : "";
  return transcriptFormats.find((format) => extensions[format] === extension);
}

/** Where each file's text goes; undefined: standard output. */
async function targets(
  { positionals, values }: CommandContext,
  format: TranscriptFormat,
): Promise<string[] | undefined> {
  const { out } = values;
  if (typeof out !== "string" || out === "-") return undefined;
  const isFolder =
    namesFolder(out) ||
    (await stat(out).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (positionals.length === 1 && !isFolder) return [out];
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, out, "write");
  });
  return fileNames(positionals).map((name) => join(out, `${name}.${extensions[format]}`));
}

/** A name for each path, none twice: without the extension, with it, or numbered. */
function fileNames(paths: readonly string[]): string[] {
  const stems = paths.map((path) => basename(path, extname(path)));
  const taken = new Set<string>();
  return paths.map((path, index) => {
    const stem = stems[index] as string;
    const name = stems.indexOf(stem) === stems.lastIndexOf(stem) ? stem : basename(path);
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
    taken.add(free);
    return free;
  });
}

async function hearFile(
  context: CommandContext,
  path: string,
  job: Omit<TranscriptionJob, "mediaPath">,
): Promise<Transcript> {
  const app = await context.app();
  const readable = await stat(path).catch(() => undefined);
  if (readable?.isFile() !== true)
    throw new AppError(
      "invalid_request",
      readable === undefined ? "there is no such file" : "this is a folder",
    );
  try {
    for await (const event of app.transcribe({ ...job, mediaPath: path }, context.signal)) {
      if (event.type === "progress") {
        const { heardSec, durationSec } = event;
        context.progress.show(
          durationSec === undefined ? undefined : heardSec / durationSec,
          `${basename(path)}: ${heardSec.toFixed(0)} s heard`,
        );
      } else if (event.type === "failed") {
        context.warn(
          `${path}: ${event.stretch.startSec.toFixed(1)} s to ${event.stretch.endSec.toFixed(1)} s could not be heard`,
        );
      } else if (event.type === "done") return event.transcript;
    }
    throw new Error("the transcription ended without a result");
  } finally {
    context.progress.clear();
  }
}
