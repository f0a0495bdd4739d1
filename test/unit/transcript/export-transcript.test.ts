import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { verboseTranscriptionResponse } from "../../../main/contract/openai.ts";
import type {
  DocumentSegment,
  TranscriptDocument,
} from "../../../main/contract/transcript-document.ts";
import { createDocuments } from "../../../main/library/documents.ts";
import { createItems } from "../../../main/library/items.ts";
import type { TranscriptExport } from "../../../main/contract/transcript-export.ts";
import { exportTranscript } from "../../../main/transcript/export-transcript.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { transcribedSegments, documentHeader } from "../../support/transcripts.ts";

const exported = async (
  document: TranscriptDocument,
  format: TranscriptExport,
  title = "A <talk> & more",
): Promise<string> => Buffer.from(await exportTranscript(title, document, format)).toString("utf8");

/** An edited transcript: one segment changed, one split, one removed, and a speaker named. */
async function edited(): Promise<TranscriptDocument> {
  const database = openTestLibrary();
  const { id } = createItems(database, { dataDir: await openTestFolder() }).create({
    kind: "transcript",
    title: "x",
    source: "file",
  });
  const documents = createDocuments(database);
  documents.save(id, documentHeader, transcribedSegments("Ask knot what", "um", "your country"));
  const [first, , last] = documents.read(id).segments as [
    DocumentSegment,
    DocumentSegment,
    DocumentSegment,
  ];
  documents.apply(id, {
    revision: 1,
    put: [
      { ...first, text: "Ask not\u0000 what <b>", words: [], isEdited: true },
      { ...last, speaker: "Jack *K*" },
      { ...last, id: 1_000_000, startSec: 5.5, endSec: 6, text: "can --> do & so on" },
    ],
    remove: [1],
  });
  return documents.read(id);
}

const textOf = async (document: TranscriptDocument): Promise<string> =>
  strFromU8(
    unzipSync(await exportTranscript("Notes", document, "docx"))["word/document.xml"] as Uint8Array,
  );

it("has notes after the paragraph in which they were taken, in Markdown and Word", async () => {
  const notes = [
    { id: "5b0d9c3e-7d7c-4f0e-9a53-0d6e5f3c2b1a", atSec: 0.2, text: "Who *says* this?" },
    { id: "6b0d9c3e-7d7c-4f0e-9a53-0d6e5f3c2b1a", atSec: 5.2, text: "" },
  ];
  const document = { ...(await edited()), notes };
  const markdown = await exported(document, "md");
  const places = [
    "Ask not",
    "> \\[0:00:00\\] Who \\*says\\* this?",
    "your country",
    "> \\[0:00:05\\]",
  ];
  expect(places.map((place) => markdown.indexOf(place))).toSatisfy((found: number[]) =>
    found.every((at, index) => at > (found[index - 1] ?? 0)),
  );
  const word = await textOf(document);
  expect(word.indexOf("Who *says* this?")).toBeGreaterThan(word.indexOf("Ask not"));
});

const text = "Ask not\u0000 what <b>";

describe("an edited transcript is exported as", () => {
  it("subtitles", async () => {
    const document = await edited();
    expect(await exported(document, "srt")).toBe(
      `1\n00:00:00,000 --> 00:00:01,500\n${text}\n\n2\n00:00:04,000 --> 00:00:05,500\nJack *K*: your country\n\n3\n00:00:05,500 --> 00:00:06,000\ncan -> do & so on\n\n`,
    );
    expect(await exported(document, "vtt")).toContain(
      "00:00:04.000 --> 00:00:05.500\n<v Jack *K*>your country\n\n00:00:05.500 --> 00:00:06.000\ncan -> do & so on\n",
    );
  });

  it("readable subtitles, each with its speaker", async () => {
    const [first] = transcribedSegments("x") as [DocumentSegment];
    const spokenText =
      "Well, when I first came to the city there was nothing here at all, and nobody thought that it would ever be any different.";
    const document: TranscriptDocument = {
      ...documentHeader,
      revision: 1,
      segments: [{ ...first, text: spokenText, words: [], endSec: 8, speaker: "A <b> & c" }],
    };
    const [, ...cues] = (await exported(document, "vtt")).trim().split("\n\n");
    expect(cues.length).toBeGreaterThan(1);
    for (const cue of cues) expect(cue.split("\n")[1]).toMatch(/^<v A &lt;b&gt; &amp; c>\S/);
    const srt = await exported(document, "srt");
    expect(srt.match(/A <b> & c: /g)).toHaveLength(1);
    for (const line of srt.split("\n")) expect(line.length).toBeLessThanOrEqual(42);
  });

  it("JSON, in the format of the API", async () => {
    const json = verboseTranscriptionResponse.parse(
      JSON.parse(await exported(await edited(), "json")),
    );
    expect(json).toMatchObject({
      task: "transcribe",
      language: "english",
      duration: 60,
      text: `${text} your country can --> do & so on`,
    });
    expect(
      json.segments?.map(({ id, start, end, text: segmentText, avg_logprob }) => [
        id,
        start,
        end,
        segmentText,
        avg_logprob,
      ]),
    ).toEqual([
      [0, 0, 1.5, ` ${text}`, -0.25],
      [1, 4, 5.5, " your country", -0.25],
      [2, 5.5, 6, " can --> do & so on", -0.25],
    ]);
    expect(
      (
        JSON.parse(await exported(await edited(), "json")) as { segments: { speaker?: string }[] }
      ).segments.map(({ speaker }) => speaker),
    ).toEqual([undefined, "Jack *K*", undefined]);
    expect(json.words?.slice(0, 2)).toEqual([
      { word: "your", start: 4, end: 4.75 },
      { word: "country", start: 4.75, end: 5.5 },
    ]);
  });

  it("RTTM, with the turns of named speakers", async () => {
    const [one, two, three, four] = transcribedSegments("Good morning", "to you", "oh", "well") as [
      DocumentSegment,
      DocumentSegment,
      DocumentSegment,
      DocumentSegment,
    ];
    const segments: DocumentSegment[] = [
      // Half a second before the next one begins: the same turn.
      { ...one, speaker: "Anna B" },
      { ...two, speaker: "Anna B" },
      { ...three, speaker: "Ben", words: [] },
      four,
    ];
    const document: TranscriptDocument = { ...documentHeader, revision: 1, segments };
    expect(await exported(document, "rttm", "Two people")).toBe(
      [
        "SPEAKER Two_people 1 0.000 3.500 <NA> <NA> Anna_B <NA> <NA>\n",
        "SPEAKER Two_people 1 4.000 1.500 <NA> <NA> Ben <NA> <NA>\n",
      ].join(""),
    );
  });

  it("RTTM, whose lines no name can end", async () => {
    const segments = transcribedSegments("Hello").map((segment) => ({
      ...segment,
      id: 1,
      speaker: "A\u0085\u001eB\nC",
    }));
    const document: TranscriptDocument = { ...documentHeader, revision: 1, segments };
    expect(await exported(document, "rttm", "Talk")).toBe(
      "SPEAKER Talk 1 0.000 1.500 <NA> <NA> A_B_C <NA> <NA>\n",
    );
  });

  it("plain text, with a paragraph after every pause and speaker", async () => {
    expect(await exported(await edited(), "txt")).toBe(
      `${text}\n\nJack *K*: your country\n\ncan --> do & so on\n`,
    );
  });

  it("Markdown, with special characters escaped", async () => {
    expect(await exported(await edited(), "md")).toBe(
      `# A \\<talk\\> \\& more\n\n**\\[0:00:00\\]** Ask not\u0000 what \\<b\\>\n\n**\\[0:00:04\\] Jack \\*K\\*:** your country\n\n**\\[0:00:05\\]** can --\\> do \\& so on\n`,
    );
  });

  it("a Word document", async () => {
    const files = unzipSync(await exportTranscript("A <talk> & more", await edited(), "docx"));
    const xml = strFromU8(files["word/document.xml"] as Uint8Array);
    const runs = Array.from(xml.matchAll(/<w:p[ >].*?<\/w:p>/gs), ([paragraph]) =>
      Array.from(paragraph.matchAll(/<w:t[^>]*>(.*?)<\/w:t>/gs), ([, run]) => run).join(""),
    );
    expect(runs).toEqual([
      "A &lt;talk&gt; &amp; more",
      "[0:00:00] Ask not  what &lt;b&gt;",
      "[0:00:04] Jack *K*: your country",
      "[0:00:05] can --&gt; do &amp; so on",
    ]);
  });
});

it("reports what could not be transcribed, and where nothing was said", async () => {
  const document: TranscriptDocument = {
    ...documentHeader,
    revision: 1,
    segments: [],
    failed: [{ startSec: 1, endSec: 2, message: "No." }],
    options: { ...documentHeader.options, translate: true },
  };
  expect(JSON.parse(await exported(document, "json"))).toMatchObject({
    task: "translate",
    text: "",
    partial: true,
    failed: [{ start: 1, end: 2, message: "No." }],
  });
  expect(await exported(document, "srt")).toBe("");
});

it("divides a long monologue into paragraphs at the ends of sentences", async () => {
  const segments = Array.from({ length: 40 }, (_, at) => ({
    ...(transcribedSegments("x")[0] as DocumentSegment),
    id: at,
    startSec: at,
    endSec: at + 1,
    text: `This is sentence number ${at}, and it is one of the longer ones.`,
  }));
  const parts = (await exported({ ...documentHeader, revision: 1, segments }, "txt"))
    .trim()
    .split("\n\n");
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.every((part) => part.endsWith(".") && part.length < 800)).toBe(true);
});
