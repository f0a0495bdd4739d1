// Exports a library transcript, including edits, as a file. JSON has the format of /v1 plus speakers. Subtitles are
// split for reading, while /v1 has one cue per segment, as its clients expect.

import { type CueLimits, splitCue } from "./cue-splitting.ts";
import { type Cue, toSrt, toVtt } from "./subtitles.ts";
import { languageName } from "../contract/languages.ts";
import type { Transcript } from "../contract/speech.ts";
import type { DocumentSegment, TranscriptDocument } from "../contract/transcript-document.ts";
import {
  type TranscriptExport,
  type TranscriptExportOptions,
  transcriptExportOptions,
  defaultLayout,
} from "../contract/transcript-export.ts";
import { formatNote, formatSpeakerTime, toOneLine } from "./paragraph-heading.ts";
import {
  type LaidOutTranscript,
  notesAfter,
  toParagraphs,
  toSingleParagraphs,
} from "./paragraphs.ts";
import { runInSlices } from "../processes/time-slices.ts";
import { cutToRange } from "./cut-to-range.ts";
import { toCsv } from "./transcript-csv.ts";
import { toDocx } from "./transcript-docx.ts";
import { toHtml } from "./transcript-html.ts";
import { toPdf } from "./transcript-pdf.ts";
import { toRttm, toVerboseResponse } from "./transcript-formats.ts";

export const transcriptMimeTypes: Readonly<Record<TranscriptExport, string>> = {
  txt: "text/plain; charset=utf-8",
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pdf: "application/pdf",
  html: "text/html; charset=utf-8",
  rttm: "text/plain; charset=utf-8",
};

const defaultOptions = transcriptExportOptions.parse({});

/**
 * @param soundUrl where an HTML file finds the recording; none: it only has the text
 * @returns the whole file; text formats in UTF-8
 * @throws AppError if no font for PDF has a character
 */
export async function exportTranscript(
  title: string,
  document: TranscriptDocument,
  format: TranscriptExport,
  options: TranscriptExportOptions = defaultOptions,
  soundUrl?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const layout = { ...defaultLayout(format), ...options };
  const { fromSec = 0, toSec = Infinity } = layout;
  const selected = {
    ...document,
    segments: selectSegments(document.segments, layout),
    failed: document.failed.filter(({ startSec, endSec }) => endSec > fromSec && startSec < toSec),
  };
  const laidOut = {
    title: toOneLine(title),
    language: document.options.translate ? "en" : document.language,
    hasTimes: layout.times,
    hasSpeakers: layout.speakers,
    notes: (document.notes ?? []).filter(({ atSec }) => atSec >= fromSec && atSec < toSec),
    paragraphs: (layout.paragraphs ? toParagraphs : toSingleParagraphs)(selected.segments),
    soundUrl,
  };
  if (format === "docx") return toDocx(laidOut);
  if (format === "pdf") return toPdf(laidOut);
  return Buffer.from(await toText(selected, format, laidOut, layout));
}

/** What is in the range, without the names of the speakers if they are not wanted. */
const selectSegments = (
  segments: readonly DocumentSegment[],
  { fromSec = 0, toSec = Infinity, speakers }: TranscriptExportOptions,
): DocumentSegment[] =>
  segments
    .flatMap((segment) => cutToRange(segment, fromSec, toSec) ?? [])
    .map(({ speaker, ...segment }) =>
      speakers && speaker !== undefined ? { ...segment, speaker } : segment,
    );

function toText(
  document: TranscriptDocument,
  format: Exclude<TranscriptExport, "docx" | "pdf">,
  laidOut: LaidOutTranscript,
  limits: CueLimits,
): string | Promise<string> {
  switch (format) {
    case "srt":
      return runInSlices(createNamedCues(document.segments, limits)).then(toSrt);
    case "vtt":
      return runInSlices(createVoiceCues(document.segments, limits)).then(toVtt);
    case "json":
      return toJson(document);
    case "rttm":
      return toRttm({ turns: toTurns(document) }, laidOut.title);
    case "csv":
      return toCsv(laidOut);
    case "html":
      return toHtml(laidOut);
    case "txt":
      return toPlainText(laidOut);
    case "md":
      return toMarkdown(laidOut);
  }
}

const toPlainText = ({ paragraphs, hasTimes }: LaidOutTranscript): string =>
  `${paragraphs
    .map((paragraph) => `${formatSpeakerTime(paragraph, hasTimes)}${paragraph.text}`)
    .join("\n\n")}\n`;

const toMarkdown = (laidOut: LaidOutTranscript): string =>
  [
    `# ${escapeMarkdown(laidOut.title)}`,
    ...laidOut.paragraphs.flatMap((paragraph, index) => {
      const heading = formatSpeakerTime(paragraph, laidOut.hasTimes).trimEnd();
      const text = escapeMarkdown(paragraph.text);
      return [
        heading === "" ? text : `**${escapeMarkdown(heading)}** ${text}`,
        ...notesAfter(laidOut, index).map((note) => `> ${escapeMarkdown(formatNote(note))}`),
      ];
    }),
  ]
    .join("\n\n")
    .concat("\n");

/** Prefixes the speaker's name, if set, whenever the speaker changes. */
function* createNamedCues(
  segments: readonly DocumentSegment[],
  limits: CueLimits,
): Generator<undefined, Cue[]> {
  const cues: Cue[] = [];
  for (const [index, segment] of segments.entries()) {
    cues.push(
      ...splitCue(
        segment.speaker === undefined || segment.speaker === segments[index - 1]?.speaker
          ? segment
          : { ...segment, prefix: `${toOneLine(segment.speaker)}: ` },
        limits,
      ),
    );
    yield;
  }
  return cues;
}

/** Like `createNamedCues`, but each cue contains its speaker. */
function* createVoiceCues(
  segments: readonly DocumentSegment[],
  limits: CueLimits,
): Generator<undefined, Cue[]> {
  const cues: Cue[] = [];
  for (const segment of segments) {
    cues.push(
      ...splitCue(segment, limits).map((cue) =>
        segment.speaker === undefined ? cue : { ...cue, speaker: segment.speaker },
      ),
    );
    yield;
  }
  return cues;
}

function toJson(document: TranscriptDocument): string {
  const { segments, ...rest } = toVerboseResponse(toTranscript(document), {
    task: document.options.translate ? "translate" : "transcribe",
    granularities: ["segment", "word"],
  });
  const spokenSegments = filterSpoken(document);
  const withSpeakers = segments?.map((segment, index) =>
    spokenSegments[index]?.speaker === undefined
      ? segment
      : { ...segment, speaker: spokenSegments[index].speaker },
  );
  return JSON.stringify({ ...rest, segments: withSpeakers });
}

/** A longer one between words ends a turn. */
const maxPauseSec = 0.5;

/** When the named speakers talk. */
function toTurns(document: TranscriptDocument) {
  const turns: { fromSec: number; toSec: number; speaker: string }[] = [];
  for (const { speaker, words, ...segment } of filterSpoken(document)) {
    if (speaker === undefined) continue;
    for (const { startSec, endSec } of words.length > 0 ? words : [segment]) {
      const last = turns.at(-1);
      if (last?.speaker === speaker && startSec - last.toSec <= maxPauseSec) last.toSec = endSec;
      else turns.push({ fromSec: startSec, toSec: endSec, speaker });
    }
  }
  return turns;
}

const filterSpoken = ({ segments }: TranscriptDocument): TranscriptDocument["segments"] =>
  segments.filter(({ text }) => text.trim() !== "");

/** Converts the document back to an engine's result; fields that are not stored, such as tokens, are empty. */
function toTranscript(document: TranscriptDocument): Transcript {
  const { durationSec, language, options, failed } = document;
  const spokenSegments = filterSpoken(document);
  return {
    language: languageName(language),
    durationSec,
    text: spokenSegments.map(({ text }) => text.trim()).join(" "),
    segments: spokenSegments.map((segment) => {
      // Named in the segments of the result alone, not in its words.
      const { speaker: _, ...rest } = segment;
      return {
        ...rest,
        tokens: [],
        temperature: options.temperature,
        seekFrames: Math.round(segment.startSec * 100),
      };
    }),
    failed,
  };
}

/** Escapes Markdown, so that no spoken text becomes a heading, link or tag. */
const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_[\]<>~|#&$]/g, "\\$&");
