// hearsay transcribe and hearsay translate: media files to text.

import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import {
  type CommandLineFormat,
  commandLineFormats,
  type StreamEvent,
  type StreamRequest,
} from "../../contract/command-line-streams.ts";
import { parseSpeakerCount } from "../../contract/speakers.ts";
import { AnswerError } from "../app-client.ts";
import {
  type Command,
  type CommandContext,
  engineSettings,
  numberOption,
  choiceOption,
  text,
  UsageError,
  commandError,
} from "./command.ts";
import { fileError } from "./system-error.ts";
import { refuseOverwritingInputs, isFolderPath, openAtomicFile } from "./atomic-file.ts";

const extensions: Record<CommandLineFormat, string> = {
  text: "txt",
  srt: "srt",
  vtt: "vtt",
  json: "json",
  verbose_json: "json",
  diarized_json: "json",
  csv: "csv",
  rttm: "rttm",
};

/** Who speaks is told apart in what was said, not in a translation. */
const speakerFormats: readonly CommandLineFormat[] = ["diarized_json", "rttm"];
const formats: Readonly<Record<Job["task"], readonly CommandLineFormat[]>> = {
  transcribe: commandLineFormats,
  translate: commandLineFormats.filter((format) => !speakerFormats.includes(format)),
};

export const transcribe = transcriptionCommand(
  "transcribe",
  "turn audio and video files into text",
);
export const translate = transcriptionCommand("translate", "turn speech into English text");

type Job = Omit<StreamRequest<"transcribe">, "path">;
type Result = Extract<StreamEvent<"transcribe">, { type: "done" }>;

function transcriptionCommand(task: Job["task"], summary: string): Command {
  const hasSpeakers = task === "transcribe";
  return {
    usage: `${task} FILE... [--format srt]${hasSpeakers ? " [--speakers auto]" : ""} [--out FILE|FOLDER]`,
    summary,
    options: {
      format: { type: "string" },
      model: { type: "string", default: "whisper-1" },
      language: { type: "string" },
      prompt: { type: "string" },
      temperature: { type: "string" },
      words: { type: "boolean" },
      ...(hasSpeakers ? { speakers: { type: "string" } } : {}),
      out: { type: "string", short: "o" },
    },
    settings: engineSettings,
    help: {
      format: `${formats[task].join(", ")} (by the name of the file, else text)`,
      model: "model (whisper-1)",
      language: "language of the audio, as a code or name (detected if not given)",
      prompt: "names and spellings to expect; other models than Whisper refuse it",
      temperature: "0 to 1; above 0 the model samples (0)",
      words: "times of words too; the format is verbose_json",
      ...(hasSpeakers
        ? { speakers: "tell speakers apart: how many there are, as 2, 2-4, or auto" }
        : {}),
      out: "write there instead of to standard output; a folder for several files",
    },
    run: (context) => transcribeFiles(task, context),
  };
}

async function transcribeFiles(task: Job["task"], context: CommandContext): Promise<number> {
  if (context.positionals.length === 0) throw new UsageError("name at least one file");
  const format = resolveFormat(context, formats[task]);
  const speakers = speakerCount(context, format);
  const job = {
    ...options(task, context),
    format,
    ...(speakers === undefined ? {} : { speakers }),
  };
  const outPaths = await resolveOutPaths(context, format);
  await refuseOverwritingInputs(context.positionals, outPaths ?? []);
  await context.client({ changesNothing: true });
  let failures = 0;
  for (const [index, path] of context.positionals.entries()) {
    const outPath = outPaths?.[index];
    // Opened before the transcription, whose result would be lost if the folder is not writable.
    const file = outPath === undefined ? undefined : await openAtomicFile(outPath);
    try {
      const { text: body, isPartial } = await transcribeFile(context, path, job);
      // Silence produces no output, not even an empty line.
      const output = body.trim() === "" ? "" : body.endsWith("\n") ? body : `${body}\n`;
      await (file === undefined ? context.print(output) : file.write(output));
      await file?.finish();
      if (output === "" && !isPartial) context.warn(`${path}: no speech was found`);
      failures += isPartial ? 1 : 0;
    } catch (error) {
      const isExpected = error instanceof AppError || error instanceof AnswerError;
      if (context.signal.aborted || !isExpected) throw error;
      context.warn(`${path}: ${error.message}`);
      failures += 1;
    } finally {
      await file?.discard();
    }
  }
  return failures === 0 ? 0 : 1;
}

function options(task: Job["task"], context: CommandContext): Omit<Job, "format"> {
  const languageOption = text(context, "language");
  const language = languageOption === undefined ? undefined : parseLanguage(languageOption);
  if (languageOption !== undefined && language === undefined)
    throw new UsageError(`--language '${languageOption}' is no language code or name`);
  const prompt = text(context, "prompt");
  return {
    task,
    model: text(context, "model") ?? "whisper-1",
    temperature: numberOption(context, "temperature", 0, 1) ?? 0,
    wordTimes: context.values["words"] === true,
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

/** `2`, `2-4` or `auto`; two formats tell speakers apart in any case. */
function speakerCount(context: CommandContext, format: CommandLineFormat): Job["speakers"] {
  const option = text(context, "speakers");
  if (option === undefined) return format === "diarized_json" || format === "rttm" ? {} : undefined;
  if (option === "auto") return {};
  const count = parseSpeakerCount(option);
  if (count === undefined)
    throw new UsageError("--speakers takes a number such as 2, a range such as 2-4, or auto");
  return count;
}

/** Only one format contains word times. */
function resolveFormat(
  context: CommandContext,
  possible: readonly CommandLineFormat[],
): CommandLineFormat {
  const requestedFormat = choiceOption(context, "format", possible);
  const formatByExtension = formatFromOutPath(context, possible);
  if (context.values["words"] !== true) return requestedFormat ?? formatByExtension ?? "text";
  const conflictingFormat =
    requestedFormat ?? (formatByExtension === "json" ? undefined : formatByExtension);
  if (conflictingFormat !== undefined && conflictingFormat !== "verbose_json")
    throw new UsageError(`--words gives verbose_json, not ${conflictingFormat}`);
  return "verbose_json";
}

/** `--out talk.srt` selects subtitles. */
function formatFromOutPath(
  { values: { out } }: CommandContext,
  possible: readonly CommandLineFormat[],
): CommandLineFormat | undefined {
  const extension = typeof out === "string" ? extname(out).slice(1).toLowerCase() : "";
  return possible.find((format) => extensions[format] === extension);
}

/** Output path for each file; undefined: standard output. */
async function resolveOutPaths(
  { positionals, values }: CommandContext,
  format: CommandLineFormat,
): Promise<string[] | undefined> {
  const { out } = values;
  if (typeof out !== "string" || out === "-") return undefined;
  const isFolder =
    isFolderPath(out) ||
    (await stat(out).then(
      (stats) => stats.isDirectory(),
      () => false,
    ));
  if (positionals.length === 1 && !isFolder) return [out];
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, out, "write");
  });
  return fileNames(positionals).map((name) => join(out, `${name}.${extensions[format]}`));
}

/** A unique name for each path: without the extension, with it, or numbered. */
function fileNames(paths: readonly string[]): string[] {
  const stems = paths.map((path) => basename(path, extname(path)));
  const usedNames = new Set<string>();
  return paths.map((path, index) => {
    const stem = stems[index] as string;
    const name = stems.indexOf(stem) === stems.lastIndexOf(stem) ? stem : basename(path);
    let freeName = name;
    for (let number = 2; usedNames.has(freeName); number += 1) freeName = `${name}-${number}`;
    usedNames.add(freeName);
    return freeName;
  });
}

async function transcribeFile(context: CommandContext, path: string, job: Job): Promise<Result> {
  const client = await context.client({ changesNothing: true });
  // The app that reads it may be another process, where /dev/stdin is another file.
  const realPath = await realpath(path).catch(() => undefined);
  const inputStats =
    realPath === undefined ? undefined : await stat(realPath).catch(() => undefined);
  if (realPath === undefined || inputStats?.isFile() !== true)
    throw commandError(inputStats === undefined ? "there is no such file" : "this is a folder");
  try {
    for await (const event of client.stream("transcribe", { ...job, path: realPath })) {
      if (event.type === "progress") {
        const { processedSec, durationSec } = event;
        context.progress.show(
          durationSec === undefined ? undefined : processedSec / durationSec,
          `${basename(path)}: ${processedSec.toFixed(0)} s transcribed`,
        );
      } else if (event.type === "failed") {
        context.warn(
          `${path}: ${event.startSec.toFixed(1)} s to ${event.endSec.toFixed(1)} s could not be transcribed`,
        );
      } else return event;
    }
    throw new Error("the transcription ended without a result");
  } finally {
    context.progress.clear();
  }
}
