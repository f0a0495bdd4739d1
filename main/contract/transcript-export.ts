// Transcripts as files: the formats, and what can be chosen for each of them.

import { z } from "zod";

export const transcriptExports = [
  "txt",
  "md",
  "docx",
  "pdf",
  "html",
  "srt",
  "vtt",
  "csv",
  "json",
  "rttm",
] as const;
export type TranscriptExport = (typeof transcriptExports)[number];

/** What is remembered for the next export. */
export const transcriptLayout = z.object({
  speakers: z.boolean().default(true),
  /** Optional; default: that of the format. */
  times: z.boolean().exactOptional(),
  /** Segments are joined into paragraphs. Optional; default: that of the format. */
  paragraphs: z.boolean().exactOptional(),
  /** Of subtitles, in columns. */
  maxLineWidth: z.int().min(16).max(120).default(42),
  maxCueLines: z.int().min(1).max(4).default(2),
});
export type TranscriptLayout = z.infer<typeof transcriptLayout>;

/** Only words whose middle is in the range are exported; their times stay those of the recording. */
export const transcriptExportOptions = transcriptLayout.extend({
  fromSec: z.number().min(0).exactOptional(),
  toSec: z.number().min(0).exactOptional(),
});
export type TranscriptExportOptions = z.infer<typeof transcriptExportOptions>;

type Choice = "speakers" | "times" | "paragraphs" | "lines";
const textChoices: readonly Choice[] = ["speakers", "times", "paragraphs"];
const subtitleChoices: readonly Choice[] = ["speakers", "lines"];

/** What has an effect on a format. */
export const layoutChoices: Readonly<Record<TranscriptExport, readonly Choice[]>> = {
  txt: textChoices,
  md: textChoices,
  docx: textChoices,
  pdf: textChoices,
  html: textChoices,
  csv: textChoices,
  srt: subtitleChoices,
  vtt: subtitleChoices,
  json: ["speakers"],
  rttm: [],
};

/** A table has a row for each segment, and running text no times. */
export const defaultLayout = (
  format: TranscriptExport,
): { times: boolean; paragraphs: boolean } => ({
  times: format !== "txt",
  paragraphs: format !== "csv",
});

/** Sound up to this size is embedded in an HTML file; longer sound is a file beside it, in a ZIP archive. */
export const maxEmbeddedSoundBytes = 25_000_000;
