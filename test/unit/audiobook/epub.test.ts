import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EpubCheck } from "@likecoin/epubcheck-ts";
import { strFromU8, unzipSync } from "fflate";
import { expect, it } from "vitest";
import { writeEpub } from "../../../main/audiobook/epub-file.ts";
import {
  type EpubBook,
  epubAudioPath,
  epubCoverPath,
  listEpubTexts,
} from "../../../main/audiobook/epub.ts";
import { runToCompletion } from "../../../main/processes/time-slices.ts";
import { openTestFolder, smallPicture } from "../../support/test-data.ts";

const sentence = (text: string, startMs: number, endMs: number, startsParagraph = false) => ({
  text,
  startMs,
  endMs,
  startsParagraph,
});

const book: EpubBook = {
  identifier: "urn:uuid:11111111-2222-4333-8444-555555555555",
  title: 'Wind & <water> "one"',
  author: "Jane & Co",
  language: "en",
  modifiedAtMs: Date.UTC(2026, 0, 2),
  cover: { extension: "png", mediaType: "image/png" },
  chapters: [
    {
      title: "The river",
      sentences: [
        sentence("The river", 0, 1000),
        sentence("A < B & C\u0000.", 1000, 2500, true),
        sentence("…", 2500, 2500),
        sentence("The end.", 2500, 4000.0, true),
      ],
    },
    { title: "The sea", sentences: [sentence("Waves.", 0, 1250, true)] },
  ],
};

/** An MPEG frame, by which readers recognize the format. */
const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);

async function writeBook(): Promise<string> {
  const folder = await openTestFolder();
  const path = join(folder, "book.epub");
  writeFileSync(join(folder, "audio.mp3"), mp3);
  await writeEpub(
    path,
    {
      texts: runToCompletion(listEpubTexts(book)),
      cover: { path: epubCoverPath("png"), bytes: smallPicture },
      audio: new Map(book.chapters.map((_, at) => [epubAudioPath(at), join(folder, "audio.mp3")])),
    },
    new AbortController().signal,
  );
  return path;
}

it("is a book whose sentences have the times of their audio", async () => {
  const bytes = readFileSync(await writeBook());
  expect(bytes.toString("latin1", 30, 58)).toBe("mimetypeapplication/epub+zip");
  const files = unzipSync(bytes);
  const text = (path: string): string => strFromU8(files[`EPUB/${path}`] ?? new Uint8Array());
  expect(text("chapter-1.xhtml")).toContain('<h1 id="s1">The river</h1>');
  expect(text("chapter-1.xhtml")).toContain(
    '<p><span id="s2">A &lt; B &amp; C .</span> <span id="s3">…</span></p>\n<p><span id="s4">',
  );
  expect(text("chapter-1.smil").match(/clipBegin="[^"]*" clipEnd="[^"]*"/g)).toEqual([
    'clipBegin="0.000s" clipEnd="1.000s"',
    'clipBegin="1.000s" clipEnd="2.500s"',
    'clipBegin="2.500s" clipEnd="4.000s"',
  ]);
  expect(text("package.opf")).toContain('<meta property="media:duration">5.250s</meta>');
  expect(text("nav.xhtml")).toContain('<a href="chapter-2.xhtml">The sea</a>');
  expect(files[epubAudioPath(1)]).toEqual(new Uint8Array(mp3));
});

it("is valid EPUB 3", async () => {
  const { messages } = await EpubCheck.validate(readFileSync(await writeBook()));
  expect(messages.filter(({ severity }) => severity !== "info" && severity !== "usage")).toEqual(
    [],
  );
});

const jar = process.env["EPUBCHECK_CLASSPATH"];
it.skipIf(jar === undefined)(
  "is valid for W3C's EPUBCheck (needs Java, and EPUBCHECK_CLASSPATH with its jars)",
  async () => {
    const { status, stdout, stderr } = spawnSync(
      "java",
      ["-cp", jar ?? "", "com.adobe.epubcheck.tool.Checker", await writeBook(), "--failonwarnings"],
      { encoding: "utf8" },
    );
    // Its XSLT processor writes warnings of its own.
    const problems = stderr.split("\n").filter((line) => /^(?:FATAL|ERROR|WARNING)\(/.test(line));
    expect(problems).toEqual([]);
    expect(stdout).toContain("No errors or warnings detected");
    expect(status).toBe(0);
  },
  60_000,
);
