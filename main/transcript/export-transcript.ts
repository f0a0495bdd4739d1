// Exports a library transcript, including edits, as a file. JSON has the format of /v1 plus speakers. Subtitles are
// split for reading, while /v1 has one cue per segment, as its clients expect.

import { splitCue } from "./cue-splitting.ts";
import { type Cue, toSrt, toVtt } from "./subtitles.ts";
import { languageName } from "../contract/languages.ts";
import type { Transcript } from "../contract/speech.ts";
import type { TranscriptDocument, transcriptExports } from "../contract/transcript-document.ts";
import { toParagraphs, type TranscriptParagraph } from "./paragraphs.ts";
import { runInSlices } from "../processes/time-slices.ts";
import { toRttm, toVerboseResponse } from "./transcript-formats.ts";

export type TranscriptExport = (typeof transcriptExports)[number];

export const transcriptMimeTypes: Readonly<Record<TranscriptExport, string>> = {
  txt: "text/plain; charset=utf-8",
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  rttm: "text/plain; charset=utf-8",
};

/** @returns the whole file; text formats in UTF-8 */
export async function exportTranscript(
  title: string,
  document: TranscriptDocument,
  format: TranscriptExport,
): Promise<Uint8Array<ArrayBuffer>> {
  if (format === "docx") return toDocx(title, toParagraphs(document.segments));
  return Buffer.from(await toText(title, document, format));
}

function toText(
  title: string,
  document: TranscriptDocument,
  format: Exclude<TranscriptExport, "docx">,
): string | Promise<string> {
  switch (format) {
    case "srt":
      return runInSlices(createNamedCues(document.segments)).then(toSrt);
    case "vtt":
      return runInSlices(createVoiceCues(document.segments)).then(toVtt);
    case "json":
      return toJson(document);
    case "rttm":
      return toRttm({ turns: toTurns(document) }, title);
    case "txt":
      return `${toParagraphs(document.segments)
        .map(({ speaker, text }) =>
          speaker === undefined ? text : `${toOneLine(speaker)}: ${text}`,
        )
        .join("\n\n")}\n`;
    case "md":
      return (
        [
          `# ${escapeMarkdown(toOneLine(title))}`,
          ...toParagraphs(document.segments).map(
            ({ startSec, speaker, text }) =>
              `**${formatSpeakerTime(startSec, speaker, escapeMarkdown)}** ${escapeMarkdown(text)}`,
          ),
        ].join("\n\n") + "\n"
      );
  }
}

/** Prefixes the speaker's name, if set, whenever the speaker changes. */
function* createNamedCues(segments: TranscriptDocument["segments"]): Generator<undefined, Cue[]> {
  const cues: Cue[] = [];
  for (const [index, segment] of segments.entries()) {
    cues.push(
      ...splitCue(
        segment.speaker === undefined || segment.speaker === segments[index - 1]?.speaker
          ? segment
          : { ...segment, prefix: `${toOneLine(segment.speaker)}: ` },
      ),
    );
    yield;
  }
  return cues;
}

/** Like `createNamedCues`, but each cue contains its speaker. */
function* createVoiceCues(segments: TranscriptDocument["segments"]): Generator<undefined, Cue[]> {
  const cues: Cue[] = [];
  for (const segment of segments) {
    cues.push(
      ...splitCue(segment).map((cue) =>
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

/** For example `[0:01:23]`, followed by the speaker. */
function formatSpeakerTime(
  startSec: number,
  speaker: string | undefined,
  escape: (text: string) => string,
): string {
  const sec = Math.floor(startSec);
  const [minutes, seconds] = [Math.floor(sec / 60) % 60, sec % 60].map((value) =>
    String(value).padStart(2, "0"),
  );
  const time = `${Math.floor(sec / 3600)}:${minutes}:${seconds}`;
  return `${escape(`[${time}]`)}${speaker === undefined ? "" : ` ${escape(toOneLine(speaker))}:`}`;
}

const toOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Escapes Markdown, so that no spoken text becomes a heading, link or tag. */
const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_[\]<>~|#&$]/g, "\\$&");

async function toDocx(
  title: string,
  transcriptParagraphs: readonly TranscriptParagraph[],
): Promise<Uint8Array<ArrayBuffer>> {
  // Imported on demand: it is large and rarely used.
  const { Document, HeadingLevel, Packer, Paragraph, TextRun } = await import("docx");
  const heading = new Paragraph({
    heading: HeadingLevel.TITLE,
    children: [new TextRun(toXmlText(toOneLine(title)))],
  });
  const body = transcriptParagraphs.map(({ startSec, speaker, text }) => {
    const children = [
      new TextRun({ text: `${formatSpeakerTime(startSec, speaker, toXmlText)} `, bold: true }),
      new TextRun(toXmlText(text)),
    ];
    return new Paragraph({ spacing: { after: 160 }, children });
  });
  const file = new Document({
    title: toXmlText(title),
    creator: "Hearsay",
    sections: [{ children: [heading, ...body] }],
  });
  return Buffer.from(await Packer.toArrayBuffer(file));
}

/** Removes control characters and lone surrogates, which XML does not allow; the docx package escapes the rest. */
const toXmlText = (text: string): string =>
  text.toWellFormed().replaceAll(/\p{Cc}|[\ufffe\uffff]/gu, " ");
