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

  it("has only the words of the range, at their times in the recording", async () => {
    const range = { fromSec: 3, toSec: 4.75 };
    expect(await exported(document, "srt", range)).toBe(
      "1\n00:00:02,750 --> 00:00:03,500\nAnn: day.\n\n" +
        "2\n00:00:04,000 --> 00:00:04,750\nBen: And\n\n",
    );
    expect(await exported(document, "txt", range)).toBe("Ann: day.\n\nBen: And\n");
    expect(await exported(document, "csv", range)).toBe(
      "\ufeffstart,end,speaker,text\r\n2.750,3.500,Ann,day.\r\n4.000,4.750,Ben,And\r\n",
    );
    expect(await exported(document, "rttm", range)).toBe(
      "SPEAKER Talk 1 2.750 0.750 <NA> <NA> Ann <NA> <NA>\n" +
        "SPEAKER Talk 1 4.000 0.750 <NA> <NA> Ben <NA> <NA>\n",
    );
    const json = JSON.parse(await exported(document, "json", range));
    expect(json.text).toBe("day. And");
    expect(json.words.map(({ word }: { word: string }) => word)).toEqual(["day.", "And"]);
    expect(await exported(document, "html", range)).not.toContain("Good");
    expect(await exported(document, "txt", { fromSec: 3.6, toSec: 3.9 })).toBe("\n");
  });

  it("estimates the times of words where a range begins in a text that has none", async () => {
    const [segment] = talk(["one two three"]).segments as [DocumentSegment];
    const untimed = { ...talk(), segments: [{ ...segment, words: [] }] };
    expect(await exported(untimed, "vtt", { fromSec: 0.4, toSec: 9 })).toBe(
      "WEBVTT\n\n00:00:00.409 --> 00:00:01.500\ntwo three\n\n",
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
    expect(html).toContain('<b dir="auto">A&quot;B:</b>');
    expect(html).toContain('src="Tom &amp; 1%22.mp3"');
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html).toMatch(/script-src 'sha256-[\w+/]{43}='/);
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
