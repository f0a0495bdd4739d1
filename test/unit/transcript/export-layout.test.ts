import { describe, expect, it } from "vitest";
import type {
  DocumentSegment,
  TranscriptDocument,
} from "../../../main/contract/transcript-document.ts";
import {
  type TranscriptExport,
  transcriptExportOptions,
} from "../../../main/contract/transcript-export.ts";
import { exportTranscript } from "../../../main/transcript/export-transcript.ts";
import { openPdfFonts } from "../../../main/transcript/pdf-fonts.ts";
import { documentHeader, transcribedSegments } from "../../support/transcripts.ts";

/** A segment every two seconds, of the speaker if one is named. */
const talk = (
  ...lines: readonly (readonly [text: string, speaker?: string])[]
): TranscriptDocument => ({
  ...documentHeader,
  language: "en",
  revision: 1,
  segments: transcribedSegments(...lines.map(([text]) => text)).map(
    (segment, id): DocumentSegment => ({
      ...segment,
      id,
      ...(lines[id]?.[1] === undefined ? {} : { speaker: lines[id][1] }),
    }),
  ),
});

const exported = async (
  document: TranscriptDocument,
  format: TranscriptExport,
  options: Record<string, unknown> = {},
  soundUrl?: string,
): Promise<string> =>
  Buffer.from(
    await exportTranscript(
      "Talk",
      document,
      format,
      transcriptExportOptions.parse(options),
      soundUrl,
    ),
  ).toString("utf8");

describe("the layout of an export", () => {
  const document = talk(["Hello there.", "Ann"], ["Good day.", "Ann"], ["And you?", "Ben"]);

  it("has speakers, times and paragraphs as chosen", async () => {
    expect(await exported(document, "txt")).toBe("Ann: Hello there. Good day.\n\nBen: And you?\n");
    expect(await exported(document, "txt", { speakers: false, times: true })).toBe(
      "[0:00:00] Hello there. Good day. And you?\n",
    );
    expect(await exported(document, "md", { times: false, paragraphs: false })).toBe(
      "# Talk\n\n**Ann:** Hello there.\n\n**Ann:** Good day.\n\n**Ben:** And you?\n",
    );
    expect(await exported(document, "srt", { speakers: false })).not.toContain("Ann");
  });

  it("has only what touches the range, at its time in the recording", async () => {
    expect(await exported(document, "srt", { fromSec: 3, toSec: 4 })).toBe(
      "1\n00:00:02,000 --> 00:00:03,500\nAnn: Good day.\n\n",
    );
  });

  it("breaks subtitles into lines of the chosen length and number", async () => {
    const long = talk(["the quick brown fox jumps over the lazy dog and runs far away from here"]);
    for (const [maxLineWidth, maxCueLines] of [
      [20, 1],
      [20, 2],
      [16, 4],
      [80, 1],
    ] as const) {
      const srt = await exported(long, "srt", { maxLineWidth, maxCueLines });
      const cues = srt
        .trim()
        .split("\n\n")
        .map((cue) => cue.split("\n").slice(2));
      expect(cues.flat().join(" ")).toBe(long.segments[0]?.text);
      for (const lines of cues) {
        expect(lines.length).toBeLessThanOrEqual(maxCueLines);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(maxLineWidth);
      }
    }
  });
});

describe("a table", () => {
  it("has quoted fields and no formulas", async () => {
    const csv = await exported(
      talk(['=HYPERLINK("http://x";1)', "@Ann"], ["-1, or more", "Ben"], ["fine", "Ben"]),
      "csv",
    );
    expect(csv.slice(0, 1)).toBe("\ufeff");
    expect(csv.slice(1).split("\r\n")).toEqual([
      "start,end,speaker,text",
      `0.000,1.500,'@Ann,"'=HYPERLINK(""http://x"";1)"`,
      `2.000,3.500,Ben,"'-1, or more"`,
      "4.000,5.500,Ben,fine",
      "",
    ]);
    expect(await exported(talk(["a"]), "csv", { times: false, speakers: false })).toBe(
      "\ufefftext\r\na\r\n",
    );
  });
});

describe("a web page", () => {
  it("plays each word where it is spoken, and escapes all text", async () => {
    const html = await exported(talk(["a <script> & b", 'A"B']), "html", {}, "Tom & 1%22.mp3");
    expect(html).toContain('<span data-at="0.375">&lt;script&gt;</span>');
    expect(html).toContain("<b>A&quot;B:</b>");
    expect(html).toContain('src="Tom &amp; 1%22.mp3"');
    expect(html.match(/<script>/g)).toHaveLength(1);
  });

  it("has one place for a text that was changed, and neither player nor script without a recording", async () => {
    const document = talk(["one two"]);
    const [segment] = document.segments as [DocumentSegment];
    const html = await exported(
      { ...document, segments: [{ ...segment, text: "something else" }] },
      "html",
    );
    expect(html).toContain('<span data-at="0.000">something else</span>');
    expect(html).not.toMatch(/<audio|<script|script-src/);
  });
});

describe("a PDF file", () => {
  it("has European scripts in fonts that come with the app", async () => {
    const pdf = await exportTranscript(
      "Títle",
      talk(["Grüße, Ωμέγα, Привет, Việt Nam", "Łukasz"], ["word ".repeat(2000).trim()]),
      "pdf",
    );
    const text = Buffer.from(pdf).toString("latin1");
    expect(text).toMatch(/^%PDF-1\.\d/);
    expect(text.match(/\/Type \/Page\n/g)?.length).toBeGreaterThan(2);
    expect(text).not.toContain("Helvetica");
    expect(text.match(/\/FontFile/g)?.length).toBeGreaterThanOrEqual(4);
  });

  it("names a character that no font has, instead of leaving it out", async () => {
    const fonts = await openPdfFonts([]);
    expect(fonts.find("Ж", false).name).toContain("cyrillic");
    expect(fonts.find("e\u0301", true).name).toContain("700");
    expect(() => fonts.find("語", false)).toThrow(/'語'.*PDF/);
  });
});
