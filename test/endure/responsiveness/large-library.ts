// A library of large items, created with the app's own modules before it starts: transcripts of hours with timestamps
// of words, a completely generated narration of an hour, a book-length narration with takes, and an archive of another
// library.

import { createWriteStream } from "node:fs";
import { link, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { writeTake, takeSampleRateHz } from "../../../main/audiobook/take-file.ts";
import { voices } from "../../../main/engines/tts/hibari/voices.ts";
import { libraryEntries } from "../../../main/server/app-api/library-archive.ts";
import { type Database, openDatabase } from "../../../main/storage/database.ts";
import { createDocuments } from "../../../main/library/documents.ts";
import { createItems } from "../../../main/library/items.ts";
import { createNarrations } from "../../../main/library/narrations.ts";
import { libraryPath } from "../../../main/library/recovery/open-library.ts";
import { createInProcessTasks } from "../../../main/library/process/tasks.ts";
import { zipArchive } from "../../../main/library/archive/zip.ts";
import { writePeaks, peaksPath } from "../../../main/audiobook/take-peaks.ts";
import { readSentences, type Sentence } from "../../../main/jobs/narration/sentences.ts";
import { runToCompletion } from "../../../main/processes/time-slices.ts";
import { transcribedSegments, documentHeader } from "../../support/transcripts.ts";

export const options = { model: "tts-1", voice: "nova", speed: 1 };

export type Sizes = {
  /** Characters of the book. */
  book: number;
  /** Segments per transcript. */
  segments: number;
  /** Sentences of the completely generated narration. */
  generatedSentences: number;
};

export type LargeLibrary = {
  bookId: string;
  bookScript: string;
  generatedId: string;
  transcripts: string[];
};

const words = (
  "the quick brown fox jumps over a lazy dog while seven old kettles whistle " +
  "in harbour kitchens and nobody listens to what they tell about tides"
).split(" ");

/** Sentences that differ, as in real texts. */
export function randomSentences(random: () => number, count: number): string[] {
  const word = (): string => words[Math.floor(random() * words.length)] ?? "";
  return Array.from({ length: count }, (_, at) =>
    `${word()} ${at} ${Array.from({ length: 8 + Math.floor(random() * 6) }, word).join(" ")}.`.replace(
      /^./,
      (letter) => letter.toUpperCase(),
    ),
  );
}

/** Paragraphs of five sentences, one of which repeats throughout, and occasional chapters. */
export function randomScript(random: () => number, length: number): string {
  const parts: string[] = [];
  for (let [size, chapter] = [0, 1]; size < length; chapter += 1) {
    const paragraphs = randomSentences(random, 400).reduce(
      (text, sentence, at) =>
        `${text}${sentence} ${at % 5 === 4 ? "Then it rests for a while.\n\n" : ""}`,
      "",
    );
    parts.push(`# Chapter ${chapter}\n\n${paragraphs}`);
    size += parts.at(-1)?.length ?? 0;
  }
  return parts.join("").slice(0, length);
}

export async function fillLibrary(
  dataDir: string,
  random: () => number,
  sizes: Sizes,
): Promise<LargeLibrary> {
  const database = await openLibraryDatabase(dataDir);
  try {
    const items = createItems(database, { dataDir });
    const narrations = createNarrations(database);
    const transcripts = Array.from({ length: 3 }, (_, at) =>
      addTranscript(database, dataDir, `Hours ${at}`, randomSentences(random, sizes.segments)),
    );

    async function addNarration(
      title: string,
      script: string,
      selectSentences: (sentences: readonly Sentence[]) => readonly Sentence[],
      takesPerSentence: number,
    ): Promise<string> {
      const { id } = items.create(
        { kind: "narration", title, source: "text", language: "en" },
        (itemId) => narrations.create(itemId, { script, options }),
      );
      const folder = join(items.folder(id), "takes");
      await mkdir(folder, { recursive: true });
      const sentences = runToCompletion(
        readSentences({
          script,
          options,
          pronunciations: [],
          voices: voices.map((voice) => voice.id),
        }),
      );
      const takePath = join(folder, `${takeId(0)}.wav`);
      const durationSec = 4;
      await writeTake(
        takePath,
        Float32Array.from(
          { length: durationSec * takeSampleRateHz },
          (__, at) => 0.3 * Math.sin(at / 20) * random(),
        ),
      );
      await writePeaks(takePath);
      let takeCount = 0;
      const contents = new Map(
        selectSentences(sentences).map((sentence) => [sentence.content, sentence.id]),
      );
      const rows = Array.from(contents).flatMap(([content, sentenceId]) =>
        Array.from({ length: takesPerSentence }, () => ({
          id: takeId((takeCount += 1), id),
          itemId: id,
          sentenceId,
          content,
          durationSec,
          madeAtMs: takeCount,
          model: "tts-1",
          channel: "local",
        })),
      );
      database.change(() => rows.forEach((row) => narrations.addTake(row)));
      for (const row of rows) {
        const path = join(folder, `${row.id}.wav`);
        await Promise.all([link(takePath, path), link(peaksPath(takePath), peaksPath(path))]);
      }
      items.change(id, { state: "done", progress: 1, durationSec: durationSec * sentences.length });
      return id;
    }

    const bookScript = randomScript(random, sizes.book);
    const generatedId = await addNarration(
      "An hour",
      randomSentences(random, sizes.generatedSentences).join(" "),
      (all) => all,
      1,
    );
    const bookId = await addNarration("Book", bookScript, (all) => all.slice(0, 500), 2);
    return { bookId, bookScript, generatedId, transcripts };
  } finally {
    database.close();
  }
}

/** Writes an archive of another library with the same amount of content. */
export async function writeArchive(
  path: string,
  dataDir: string,
  random: () => number,
  { segments, book }: Sizes,
): Promise<void> {
  const database = await openLibraryDatabase(dataDir);
  try {
    const [items, documents, narrations] = [
      createItems(database, { dataDir }),
      createDocuments(database),
      createNarrations(database),
    ];
    addTranscript(database, dataDir, "From elsewhere", randomSentences(random, segments));
    items.create({ kind: "narration", title: "Book from elsewhere", source: "text" }, (id) =>
      narrations.create(id, { script: randomScript(random, book), options }),
    );
    await pipeline(
      zipArchive(
        libraryEntries({ items, documents, narrations, tasks: createInProcessTasks(database) }),
      ),
      createWriteStream(path),
    );
  } finally {
    database.close();
  }
}

async function openLibraryDatabase(dataDir: string): Promise<Database> {
  await mkdir(dataDir, { recursive: true });
  return openDatabase(libraryPath(dataDir));
}

function addTranscript(
  database: Database,
  dataDir: string,
  title: string,
  texts: readonly string[],
): string {
  const item = createItems(database, { dataDir }).create({
    kind: "transcript",
    title,
    source: "file",
    state: "done",
    durationSec: texts.length * 2,
  });
  createDocuments(database).save(
    item.id,
    { ...documentHeader, durationSec: texts.length * 2 },
    transcribedSegments(...texts),
  );
  return item.id;
}

/** Take ids are hexadecimal digits, as in the app. */
const takeId = (number: number, itemId = ""): string =>
  `${itemId.slice(0, 8)}${number.toString(16).padStart(8, "0")}`;
