// A transcript of the library as a file: what the document holds now, edits included. JSON is that of /v1, and tells
// who speaks; subtitles are cut to be read, while those of /v1 are a cue a segment as its clients know them.

import { splitCue } from "./cue-splitting.ts";
import { type Cue, toSrt, toVtt } from "./subtitles.ts";
import { languageName } from "../contract/languages.ts";
import type { Transcript } from "../contract/speech.ts";
import type { TranscriptDocument, transcriptExports } from "../contract/studio.ts";
import { paragraphs, type TranscriptParagraph } from "./paragraphs.ts";
import { runInSlices } from "../processes/time-slices.ts";
import { verboseTranscript } from "./transcript-formats.ts";

export type TranscriptExport = (typeof transcriptExports)[number];

export const transcriptMimeTypes: Readonly<Record<TranscriptExport, string>> = {
  txt: "text/plain; charset=utf-8",
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};

/** @returns the whole file; texts in UTF-8 */
export async function exportTranscript(
  title: string,
  document: TranscriptDocument,
  format: TranscriptExport,
): Promise<Uint8Array<ArrayBuffer>> {
  if (format === "docx") return asDocx(title, paragraphs(document.segments));
  return Buffer.from(await asText(title, document, format));
}

function asText(
  title: string,
  document: TranscriptDocument,
  format: Exclude<TranscriptExport, "docx">,
): string | Promise<string> {
  switch (format) {
    case "srt":
      return runInSlices(cuesWithNames(document.segments)).then(toSrt);
    case "vtt":
      return runInSlices(cuesWithVoices(document.segments)).then(toVtt);
    case "json":
      return asJson(document);
    case "txt":
      return `${paragraphs(document.segments)
        .map(({ speaker, text }) => (speaker === undefined ? text : `${oneLine(speaker)}: ${text}`))
        .join("\n\n")}\n`;
    case "md":
      return (
        [
          `# ${asMarkdown(oneLine(title))}`,
          ...paragraphs(document.segments).map(
            ({ startSec, speaker, text }) =>
              `**${stamp(startSec, speaker, asMarkdown)}** ${asMarkdown(text)}`,
          ),
        ].join("\n\n") + "\n"
      );
  }
}

/** A name before the first words of whoever begins to speak, where a person gave one. */
function* cuesWithNames(segments: TranscriptDocument["segments"]): Generator<undefined, Cue[]> {
  const cues: Cue[] = [];
  for (const [at, segment] of segments.entries()) {
    cues.push(
      ...splitCue(
        segment.speaker === undefined || segment.speaker === segments[at - 1]?.speaker
          ? segment
          : { ...segment, lead: `${oneLine(segment.speaker)}: ` },
      ),
    );
    yield;
  }
  return cues;
}

/** The same, where each cue tells who speaks. */
function* cuesWithVoices(segments: TranscriptDocument["segments"]): Generator<undefined, Cue[]> {
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

function asJson(document: TranscriptDocument): string {
  const { segments, ...rest } = verboseTranscript(asTranscript(document), {
    task: document.options.translate ? "translate" : "transcribe",
    granularities: ["segment", "word"],
  });
  const spoken = said(document);
  const withSpeakers = segments?.map((segment, at) =>
    spoken[at]?.speaker === undefined ? segment : { ...segment, speaker: spoken[at].speaker },
  );
  return JSON.stringify({ ...rest, segments: withSpeakers });
}

const said = ({ segments }: TranscriptDocument): TranscriptDocument["segments"] =>
  segments.filter(({ text }) => text.trim() !== "");

/** As if it had just been heard; what is not kept of that, tokens for one, is empty. */
function asTranscript(document: TranscriptDocument): Transcript {
  const { durationSec, language, options, failed } = document;
  const spoken = said(document);
  return {
    language: languageName(language),
    durationSec,
    text: spoken.map(({ text }) => text.trim()).join(" "),
    segments: spoken.map((segment) => ({
      ...segment,
      tokens: [],
      temperature: options.temperature,
      seekFrames: Math.round(segment.startSec * 100),
    })),
    failed,
  };
}

/** `[0:01:23]`, and who speaks. */
function stamp(
  startSec: number,
  speaker: string | undefined,
  escaped: (text: string) => string,
): string {
  const sec = Math.floor(startSec);
  const clock = `${Math.floor(sec / 3600)}:${String(Math.floor(sec / 60) % 60).padStart(2, "0")}:${String(sec % 60).padStart(2, "0")}`;
  return `${escaped(`[${clock}]`)}${speaker === undefined ? "" : ` ${escaped(oneLine(speaker))}:`}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Words as they are: nothing a person said is a heading, a link or a tag. */
const asMarkdown = (text: string): string => text.replaceAll(/[\\`*_[\]<>~|#&$]/g, "\\$&");

async function asDocx(
  title: string,
  parts: readonly TranscriptParagraph[],
): Promise<Uint8Array<ArrayBuffer>> {
  // Large, and wanted rarely.
  const { Document, HeadingLevel, Packer, Paragraph, TextRun } = await import("docx");
  const heading = new Paragraph({
    heading: HeadingLevel.TITLE,
    children: [new TextRun(asXml(oneLine(title)))],
  });
  const body = parts.map(({ startSec, speaker, text }) => {
    const children = [
      new TextRun({ text: `${stamp(startSec, speaker, asXml)} `, bold: true }),
      new TextRun(asXml(text)),
    ];
    return new Paragraph({ spacing: { after: 160 }, children });
  });
  const file = new Document({
    title: asXml(title),
    creator: "Hearsay",
    sections: [{ children: [heading, ...body] }],
  });
  return Buffer.from(await Packer.toArrayBuffer(file));
}

/** XML has no place for control characters or half a surrogate pair; the rest is escaped where it is written. */
const asXml = (text: string): string =>
  text.toWellFormed().replaceAll(/\p{Cc}|[\ufffe\uffff]/gu, " ");
