// hearsay speak: synthesizes a text of any length into one audio file.

import { access } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { StreamEvent } from "../../contract/command-line-streams.ts";
import { documentFormatList, isPackedDocumentName } from "../../contract/documents.ts";
import { audioFormats, type AudioFormat } from "../../contract/speech.ts";
import {
  type Command,
  type CommandContext,
  engineSettings,
  numberOption,
  choiceOption,
  text,
  UsageError,
} from "./command.ts";
import { readStdin, readTextFile } from "./text-input.ts";
import { fileError } from "./system-error.ts";
import { refuseOverwritingInputs, openAtomicFile } from "./atomic-file.ts";

export const speak: Command = {
  usage: 'speak "text" | --file talk.txt  [-o out.mp3]',
  summary: "turn text of any length into speech",
  options: {
    file: { type: "string" },
    voice: { type: "string", default: "nova" },
    speed: { type: "string" },
    model: { type: "string", default: "tts-1-hd" },
    format: { type: "string" },
    out: { type: "string", short: "o" },
  },
  settings: [...engineSettings, "voiceAliases"],
  help: {
    file: `read the text from a file (${documentFormatList}); - is standard input`,
    voice: 'voice (nova); "hearsay models" lists them',
    speed: "0.25 to 4 (1)",
    model: "tts-1 or tts-1-hd (tts-1-hd)",
    format: `${audioFormats.join(", ")} (by the file extension, otherwise mp3)`,
    out: "file to write; - or a pipe for the audio itself",
  },
  async run(context) {
    const outPath = text(context, "out") ?? "-";
    if (outPath === "-" && process.stdout.isTTY)
      throw new UsageError("name an output file: -o out.mp3");
    const input = await inputText(context);
    await refuseOverwritingInputs(
      [text(context, "file") ?? "-"].filter((path) => path !== "-"),
      [outPath],
    );
    const voice = text(context, "voice") ?? "nova";
    // The running app has voice aliases of its own.
    const voiceAlias = context.settings.voiceAliases.get(voice);
    const job = {
      model: text(context, "model") ?? "tts-1-hd",
      voice,
      ...(voiceAlias === undefined ? {} : { voiceAlias }),
      speed: numberOption(context, "speed", 0.25, 4) ?? 1,
      format: resolveFormat(context, outPath),
      text: input,
    };
    const client = await context.client({ changesNothing: true });
    const file = outPath === "-" ? undefined : await openAtomicFile(outPath);
    let isStarted = false;
    try {
      for await (const update of client.stream("speak", job)) {
        const { corrections, audioSec, progress } = update;
        const bytes = Buffer.from(update.bytes, "base64");
        if (!isStarted) noteCasting(context, update);
        isStarted = true;
        context.progress.show(
          progress,
          audioSec === undefined ? "generating" : `${audioSec.toFixed(1)} s generated`,
        );
        await (file === undefined ? context.print(bytes) : file.write(bytes));
        for (const { at, bytes: correctedBytes } of corrections ?? [])
          await file?.replace(at, Buffer.from(correctedBytes, "base64"));
      }
      await file?.finish();
    } finally {
      await file?.discard();
      context.progress.clear();
    }
    return 0;
  },
};

function noteCasting(
  { warn }: CommandContext,
  { takenOverBy = [], warning }: StreamEvent<"speak">,
): void {
  if (takenOverBy.length > 0)
    warn(`${takenOverBy.join(", ")}: spoke what is in a language that the voice does not know`);
  if (warning !== undefined) warn(warning);
}

async function inputText(context: CommandContext): Promise<string> {
  const path = text(context, "file");
  if ((path === undefined) === (context.positionals.length === 0))
    throw new UsageError("pass either a text or --file");
  if (path === undefined) return context.positionals.join(" ");
  if (isPackedDocumentName(path)) {
    await access(path).catch((error: unknown) => {
      throw fileError(error, path, "read");
    });
    const client = await context.client({ changesNothing: true });
    return (await client.call("readDocumentText", { path: resolve(path) })).text;
  }
  return path === "-" ? readStdin() : readTextFile(path);
}

function resolveFormat(context: CommandContext, outPath: string): AudioFormat {
  const requestedFormat = choiceOption(context, "format", audioFormats);
  if (requestedFormat !== undefined) return requestedFormat;
  const extension = extname(outPath).toLowerCase();
  if (extension === "") return "mp3";
  const formatByExtension = audioFormats.find((format) => `.${format}` === extension);
  if (formatByExtension === undefined) {
    const extensions = audioFormats.map((format) => `.${format}`).join(", ");
    throw new UsageError(
      `cannot write ${extension}: name the file ${extensions}, or give --format`,
    );
  }
  return formatByExtension;
}
