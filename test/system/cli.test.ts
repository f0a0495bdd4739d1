// The command line as users run it: real processes, real files, exit codes.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { link, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audioFormats } from "../../main/contract/speech.ts";
import {
  type CommandLineFormat,
  commandLineFormats,
} from "../../main/contract/command-line-streams.ts";
import {
  waitUntilExited,
  waitForExit,
  processTree,
  hearsay,
  waitForResult,
  run,
  type RunOptions,
  shellEnv,
  speakAtOnce,
  start,
  waitUntil,
} from "../support/command-line.ts";
import { type HearsayProcess, startHearsay } from "../support/hearsay-process.ts";
import { createModelStore } from "../../main/models/model-store.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { quietLog } from "../support/app.ts";
import { installCopy } from "../support/local-models.ts";
import { tenSentences } from "../support/english-texts.ts";
import { json, startUpstream } from "../support/upstream.ts";
import {
  openTestFolder,
  detectFormat,
  openFolder,
  normalizeWords,
  audioDurationSec,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";

const folder = await openFolder();
const dataDir = join(folder.path, "data é ש 日本");
const spokenText = "Good morning. How are you today?";
const spokenWords = normalizeWords(spokenText);
const inFolder = (name: string): string => join(folder.path, name);
/** One engine process is enough for a short greeting, and loads the model only once. */
const cli = (args: readonly string[], more: Partial<RunOptions> = {}) =>
  run(args, { dataDir, cwd: folder.path, env: { HEARSAY_WORKERS: "1" }, ...more });
/** Beside a running app, whose engines do the work: loading them takes most of the time of a command. */
const besideApp = (args: readonly string[], more: Partial<RunOptions> = {}) =>
  run(args, { dataDir: app.dataDir, cwd: folder.path, ...more });
const hasSignals = process.platform !== "win32";
let app: HearsayProcess;
let recording: string;

beforeAll(async () => {
  app = await startHearsay();
  recording = await writeAudioFile(
    inFolder("greeting é ש 日本.wav"),
    await synthesizeSamples(spokenText),
  );
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

/** Checks that no temporary files of jobs and no partly written files are left. */
async function expectTidy(path: string): Promise<void> {
  expect((await readdir(path)).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect(existsSync(join(dataDir, "tmp")) ? await readdir(join(dataDir, "tmp")) : []).toEqual([]);
}

describe("hearsay", () => {
  it("prints its commands and settings", async () => {
    const { code, stdout } = await cli(["help"]);
    expect(code).toBe(0);
    for (const part of [
      "serve",
      "transcribe",
      "translate",
      "speak",
      "phonemes",
      "models",
      "--port",
      "HEARSAY_DATA_DIR",
    ])
      expect(stdout).toContain(part);
    const command = await cli(["speak", "--help"]);
    expect(command.code).toBe(0);
    expect(command.stdout).toContain("--voice");
    expect(command.stdout).toContain("-o, --out");
  });

  it("lists only the settings that a command uses, and refuses others", async () => {
    const [speak, channels, refused] = await Promise.all([
      cli(["speak", "--help"]),
      cli(["channels", "--help"]),
      cli(["models", "--port", "1"]),
    ]);
    for (const flag of ["--data-dir", "--workers", "--idle-sec"])
      expect(speak.stdout).toContain(flag);
    for (const flag of ["--port", "--host", "--api-key"]) expect(speak.stdout).not.toContain(flag);
    expect(channels.stdout).not.toContain("--workers");
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      2,
      "",
      "hearsay: Unknown option '--port'\n" +
        "usage: hearsay models [list | search [WORDS] | pull ID | rm ID | import PATH | export ID FILE | bench]\n",
    ]);
    expect((await cli(["models"], { env: { HEARSAY_PORT: "1" } })).code).toBe(0);
  });

  it("lists models of the data folder, and removes them, but none that comes with the app", async () => {
    const folderOfModels = inFolder("models");
    const store = createModelStore({ dataDir: folderOfModels, log: quietLog });
    await installCopy(store, shippedModel("hibari"), { id: "hibari-copy" });
    const models = (...args: string[]) => cli(["models", ...args], { dataDir: folderOfModels });
    expect((await models()).stdout).toContain("hibari-copy ");
    expect((await models("rm", "hibari-copy")).code).toBe(0);
    expect((await models("list")).stdout).not.toContain("hibari-copy");
    expect(await models("rm", "hibari")).toMatchObject({
      code: 1,
      stderr: "hearsay: hibari comes with the app and can be neither removed nor replaced.\n",
    });
  });

  it("warns once of an unknown log level", async () => {
    const { code, stderr } = await cli(["models"], { env: { HEARSAY_LOG: "loud" } });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^hearsay: HEARSAY_LOG=loud is not a log level [^\n]*\n$/);
  });

  it("reports in one sentence that the data folder is a file", async () => {
    const path = inFolder("a file");
    await writeFile(path, "");
    const outcomes = await Promise.all([
      cli(["models"], { dataDir: path }),
      cli(["models", "--data-dir", join(path, "data")]),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1]);
    expect(outcomes[0]?.stderr).toBe(`hearsay: ${path} exists already and is not a folder\n`);
    expect(outcomes[1]?.stderr).toBe(
      `hearsay: ${join(path, "data")}: a parent folder in it is a file\n`,
    );
  });

  it("prints its version", async () => {
    expect((await cli(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("ends with exit code 2 for unknown commands, options and values", async () => {
    const wrong = await Promise.all([
      cli(["sing"]),
      cli(["transcribe", "--loud", recording]),
      cli(["transcribe"]),
      cli(["transcribe", recording, "--format", "docx"]),
      cli(["phonemes", "--workers", "many"]),
      cli([...speakAtOnce, spokenText, "-o", "x.ogg"]),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(wrong.map(({ stdout }) => stdout)).toEqual(["", "", "", "", "", ""]);
    expect(wrong[3]?.stderr).toContain("json, text, srt, verbose_json, vtt");
    expect(wrong[4]?.stderr).toContain("--workers");
    expect(wrong[5]?.stderr).toContain(".ogg");
    for (const { stderr } of wrong) expect(stderr).not.toContain("    at ");
  });

  it("runs under the machine's Node and under the bundled one", async () => {
    const version = spawnSync("node", ["--version"], {
      env: shellEnv(dataDir),
      encoding: "utf8",
    }).stdout;
    expect(version).toMatch(/^v\d+/);
    const [own, brought] = await Promise.all([
      cli(["models"]),
      cli(["models"], { node: process.execPath }),
    ]);
    expect([own.code, brought.code, own.stderr, brought.stderr]).toEqual([0, 0, "", ""]);
    expect(own.stdout).toBe(brought.stdout);
  });

  it("lists models and voices", async () => {
    const { stdout } = await cli(["models", "--json"]);
    const { models, voices } = JSON.parse(stdout) as {
      models: { id: string }[];
      voices: { id: string }[];
    };
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["whisper-1", "tts-1", "tts-1-hd"]),
    );
    const ids = voices.map(({ id }) => id);
    expect(ids.slice(0, 6)).toEqual(["alloy", "echo", "fable", "onyx", "nova", "shimmer"]);
    expect(ids).toContain("af_heart");
  });
});

describe("hearsay transcribe", () => {
  it("takes --words to mean verbose_json, and refuses it with other formats", async () => {
    const path = inFolder("words.json");
    expect(
      (await besideApp(["transcribe", recording, "--words", "--language", "en", "-o", path])).code,
    ).toBe(0);
    expect(JSON.parse(await readFile(path, "utf8"))).toHaveProperty("words");
    const refused = await Promise.all(
      [
        ["--format", "text"],
        ["--format", "json"],
        ["-o", "words.srt"],
      ].map((args) => cli(["transcribe", recording, "--words", ...args])),
    );
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2]);
    for (const { stderr } of refused) expect(stderr).toContain("verbose_json");
  });

  it("lists the transcription models when the requested one does not exist", async () => {
    const { code, stderr } = await cli(["transcribe", recording, "--model", "whisper-9"]);
    expect(code).toBe(1);
    for (const model of ["whisper-9", "whisper-1", "whisper-base"]) expect(stderr).toContain(model);
  });

  it("writes to a file, in the format of its extension", async () => {
    const out = await openTestFolder();
    const { code, stdout } = await cli([
      "transcribe",
      recording,
      "--out",
      join(out, "by name.srt"),
    ]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(await readFile(join(out, "by name.srt"), "utf8")).toMatch(/^1\n00:00:0/);
    await expectTidy(out);
  });

  it("writes several files to a folder without overwriting one with another", async () => {
    const work = await openTestFolder();
    await mkdir(join(work, "other"));
    const samples = [
      await synthesizeSamples("One."),
      await synthesizeSamples("Two two two."),
      await synthesizeSamples("Three."),
      await synthesizeSamples("Good night."),
    ];
    const paths = ["a.wav", "a.mp3", "other/a.wav", "b.wav"];
    for (const [index, path] of paths.entries())
      await writeAudioFile(join(work, path), samples[index] as Float32Array);
    const { code } = await besideApp(
      ["transcribe", ...paths, "--language", "en", "--out", "texts"],
      { cwd: work },
    );
    expect(code).toBe(0);
    expect((await readdir(join(work, "texts"))).sort()).toEqual([
      "a.mp3.txt",
      "a.wav-2.txt",
      "a.wav.txt",
      "b.txt",
    ]);
    expect(normalizeWords(await readFile(join(work, "texts", "a.mp3.txt"), "utf8"))).toMatch(
      /^(two|2)/,
    );
    expect(normalizeWords(await readFile(join(work, "texts", "b.txt"), "utf8"))).toBe("good night");
  });

  it("continues with the other files when one is missing or is not audio", async () => {
    const work = await openTestFolder();
    await writeFile(join(work, "letter.mp3"), "Dear Sir or Madam, ".repeat(50));
    const { code, stdout, stderr } = await cli(
      ["transcribe", "missing.wav", "letter.mp3", recording, "--language", "en"],
      { cwd: work },
    );
    expect(code).toBe(1);
    expect(normalizeWords(stdout)).toBe(spokenWords);
    expect(stderr).toContain("missing.wav");
    expect(stderr).toContain("letter.mp3");
    expect(stderr).not.toContain("    at ");
  });

  it("leaves no empty file when there is nothing to write", async () => {
    const out = await openTestFolder();
    expect((await cli(["transcribe", "missing.wav", "-o", join(out, "transcript.txt")])).code).toBe(
      1,
    );
    expect(await readdir(out)).toEqual([]);
  });

  it("reports before the transcription that the output cannot be written", async () => {
    const { code, stdout, stderr } = await cli([
      "transcribe",
      recording,
      "-o",
      join(folder.path, "no", "such", "folder", "x.txt"),
    ]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `hearsay: there is no folder ${join(folder.path, "no", "such", "folder")}\n`,
    );
    expect(
      (await besideApp(["transcribe", recording, "--language", "en", "-o", "a.txt/"])).code,
    ).toBe(0);
    expect(await readdir(inFolder("a.txt"))).toEqual(["greeting é ש 日本.txt"]);
  });

  it("never overwrites its input", async () => {
    const work = await openTestFolder();
    const before = await readFile(recording);
    await link(recording, join(work, "same.txt"));
    const refused = await Promise.all(
      [
        [recording, "-o", recording],
        [recording, "-o", join(work, "same.txt")],
        [join(work, "same.txt"), "-o", work],
      ].map((args) => cli(["transcribe", ...args])),
    );
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2]);
    for (const { stderr } of refused) expect(stderr).toContain("is read: write to another file");
    expect(await readFile(recording)).toEqual(before);
    await expectTidy(work);
  });

  it("prints nothing for silence as text, and reports it", async () => {
    const path = await writeAudioFile(inFolder("silence.wav"), new Float32Array(48_000));
    const [{ code, stdout, stderr }, asJson] = await Promise.all([
      besideApp(["transcribe", path]),
      besideApp(["transcribe", path, "--format", "json"]),
    ]);
    expect([code, stdout, stderr]).toEqual([0, "", `hearsay: ${path}: no speech was found\n`]);
    expect(asJson.stdout).toContain('"text":""');
  });

  it("says at once what a model cannot do", async () => {
    const { code, stdout, stderr } = await cli([
      "transcribe",
      recording,
      "--model",
      "moonshine-base",
      "--prompt",
      "Hibari",
    ]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("The model 'moonshine-base' takes no prompt.");
  });

  it.runIf(hasSignals)("ends quietly when the reader of its output closes the pipe", async () => {
    const { code, stdout, stderr } = await shell(
      `node "$HEARSAY" transcribe "${recording}" --language en --format verbose_json | head -c 10; exit "\${PIPESTATUS[0]}"`,
    );
    expect([code, stdout.length, stderr]).toEqual([0, 10, ""]);
  });
});

describe("hearsay beside a running app, whose engines do the work", () => {
  const shapes: Record<CommandLineFormat, RegExp> = {
    text: /^Good morning\b.*today\?\n$/,
    srt: /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nGood morning\b/,
    vtt: /^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0\d\.\d{3}\nGood morning\b/,
    json: /^\{"text":"Good morning\b.*"usage":.*\}\n$/,
    verbose_json: /^\{"task":"transcribe","language":"english".*"segments":\[.*\}\n$/,
    diarized_json: /^\{"task":"transcribe","duration":.*"segments":\[\{.*"speaker":"A"\}\].*\}\n$/,
    csv: /^\ufeffstart,end,text\r\n0\.\d{3},\d\.\d{3},/,
    rttm: /^SPEAKER \S+ 1 \d\.\d{3} \d\.\d{3} <NA> <NA> A <NA> <NA>\n/,
  };

  it.each(commandLineFormats)("prints %s", async (format) => {
    const { code, stdout, stderr } = await besideApp([
      "transcribe",
      recording,
      "--language",
      "en",
      "--format",
      format,
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(shapes[format]);
    await expectTidy(folder.path);
  });

  it("prints the times of words", async () => {
    const { stdout } = await besideApp([
      "transcribe",
      recording,
      "--format",
      "verbose_json",
      "--words",
      "--language",
      "English",
    ]);
    const { words, language } = JSON.parse(stdout) as {
      words: { word: string; start: number; end: number }[];
      language: string;
    };
    expect(language).toBe("english");
    expect(normalizeWords(words.map(({ word }) => word).join(" "))).toBe(spokenWords);
  });

  it("translates English, and reports languages that a model does not support", async () => {
    const [translated, german] = await Promise.all([
      besideApp(["translate", recording]),
      besideApp(["translate", recording, "--language", "de", "--model", "moonshine-base"]),
    ]);
    expect(normalizeWords(translated.stdout)).toBe(spokenWords);
    expect(german.code).toBe(1);
    expect(german.stderr).toContain("german");
  });

  it.each(audioFormats)("writes %s by the file's extension", async (format) => {
    const out = await openTestFolder();
    const path = join(out, `greeting.${format}`);
    const { code, stdout, stderr } = await besideApp([...speakAtOnce, spokenText, "-o", path]);
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    const bytes = await readFile(path);
    expect(detectFormat(bytes)).toBe(format);
    expect(bytes.length).toBeGreaterThan(4000);
    await expectTidy(out);
  });

  it("synthesizes slower and faster, within the allowed range", async () => {
    const sizes = await Promise.all(
      ["0.5", "2"].map(
        async (speed) =>
          (await besideApp([...speakAtOnce, spokenText, "--format", "pcm", "--speed", speed])).bytes
            .length,
      ),
    );
    expect(sizes[0]).toBeGreaterThan(2.5 * (sizes[1] as number));
    expect((await besideApp([...speakAtOnce, spokenText, "--speed", "9"])).code).toBe(2);
  });
});

describe("hearsay speak", () => {
  it("writes audio to a pipe", async () => {
    const [wav, unnamed] = await Promise.all([
      cli([...speakAtOnce, spokenText, "--format", "wav"]),
      besideApp([...speakAtOnce, spokenText]),
    ]);
    expect(wav.code).toBe(0);
    expect(detectFormat(wav.bytes)).toBe("wav");
    expect(unnamed.bytes.length).toBeGreaterThan(5000);
  });

  it("synthesizes a file of a thousand words", async () => {
    const out = await openTestFolder();
    const words = Array.from(
      { length: Math.ceil(1000 / tenSentences.split(" ").length) },
      () => tenSentences,
    ).join("\n\n");
    await writeFile(join(out, "talk.txt"), words);
    const { code, stderr } = await cli(
      [...speakAtOnce, "--file", "talk.txt", "--voice", "onyx", "-o", "talk.mp3"],
      { cwd: out, env: {} },
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(audioDurationSec(join(out, "talk.mp3"))).toBeGreaterThan(4.7 * 60);
  });

  it("reads the text from standard input", async () => {
    const [piped, named] = await Promise.all([
      besideApp([...speakAtOnce, "--file", "-", "--format", "pcm"], { stdin: spokenText }),
      besideApp([...speakAtOnce, spokenText, "--format", "pcm"]),
    ]);
    expect(piped.bytes.length).toBe(named.bytes.length);
  });

  it("reads common text encodings, and refuses what is not text", async () => {
    const out = await openTestFolder();
    const texts = {
      "marked.txt": Buffer.from(`\uFEFF${spokenText}`),
      "wide.txt": Buffer.from(`\uFEFF${spokenText}`, "utf16le"),
      "wide-big.txt": Buffer.from(`\uFEFF${spokenText}`, "utf16le").swap16(),
    };
    const plain = await besideApp(["phonemes"], { stdin: spokenText });
    for (const [name, bytes] of Object.entries(texts)) await writeFile(join(out, name), bytes);
    const read = await besideApp(["phonemes", ...Object.keys(texts)], { cwd: out });
    expect(read.stdout).toBe(plain.stdout.repeat(3));
    await writeFile(join(out, "zeros.txt"), "a\0b");
    await writeFile(join(out, "latin.txt"), Buffer.from("für", "latin1"));
    const none = ["zeros.txt", "latin.txt", recording];
    const refused = await Promise.all(
      none.map((name) => besideApp(["speak", "--file", name], { cwd: out })),
    );
    expect(refused.map(({ code, bytes, stderr }) => [code, bytes.length, stderr])).toEqual(
      none.map((name) => [1, 0, `hearsay: ${name} holds no text: save it as UTF-8.\n`]),
    );
    expect((await besideApp(["phonemes"], { stdin: "a\0b" })).stderr).toBe(
      "hearsay: standard input holds no text: save it as UTF-8.\n",
    );
  });

  it("never overwrites its input", async () => {
    const out = await openTestFolder();
    await writeFile(join(out, "talk.mp3"), spokenText);
    expect(
      (await cli(["speak", "--file", "talk.mp3", "-o", "./talk.mp3"], { cwd: out })).code,
    ).toBe(2);
    expect(await readFile(join(out, "talk.mp3"), "utf8")).toBe(spokenText);
  });

  it.each([
    ["folder.mp3", "folder.mp3 is a folder: name the file"],
    ["nowhere/", "nowhere/ is a folder: name the file"],
    [join("nowhere", "x.mp3"), "there is no folder nowhere"],
    ["folder.mp3/file/x.mp3", "folder.mp3/file/x.mp3: a parent folder in it is a file"],
  ])("reports in one sentence that it cannot write %s", async (path, sentence) => {
    const out = await openTestFolder();
    await mkdir(join(out, "folder.mp3"));
    await writeFile(join(out, "folder.mp3", "file"), "");
    const { code, stderr } = await cli(
      [...speakAtOnce, spokenText, "--format", "mp3", "-o", path],
      {
        cwd: out,
      },
    );
    expect([code, stderr]).toEqual([1, `hearsay: ${sentence}\n`]);
    await expectTidy(out);
  });

  it("lists the voices when the requested one does not exist, and leaves no file", async () => {
    const out = await openTestFolder();
    const { code, stderr } = await cli([
      "speak",
      spokenText,
      "--voice",
      "bob",
      "-o",
      join(out, "x.mp3"),
    ]);
    expect(code).toBe(1);
    for (const voice of ["bob", "alloy", "shimmer"]) expect(stderr).toContain(voice);
    expect(await readdir(out)).toEqual([]);
  });

  it("reports an empty text", async () => {
    const outcomes = await Promise.all([
      cli(["speak", ""]),
      cli(["speak", "--file", "-"], { stdin: "\n" }),
      cli(["speak"]),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 2]);
    expect(outcomes.map(({ bytes }) => bytes.length)).toEqual([0, 0, 0]);
    expect(outcomes[0]?.stderr).toContain("nothing");
  });

  it.runIf(hasSignals)("ends quietly when the reader of its output closes the pipe", async () => {
    const { code, stdout, stderr } = await shell(
      `node "$HEARSAY" speak --model tts-1 --format wav "${tenSentences}" | head -c 4; exit "\${PIPESTATUS[0]}"`,
    );
    expect([code, stdout, stderr]).toEqual([0, "RIFF", ""]);
  });
});

const listed = async () =>
  (JSON.parse((await cli(["channels", "list", "--json"])).stdout) as { channels: unknown })
    .channels;

describe("hearsay channels", () => {
  it("adds, changes every field of a channel, and warns when its key is deleted", async () => {
    const [upstream, other] = [
      await startUpstream(json({ data: [{ id: "something" }] })),
      await startUpstream(),
    ];
    const added = await cli(
      [
        "channels",
        "add",
        "My Größe",
        "--preset",
        "hearsay",
        "--url",
        upstream.baseUrl,
        "--prefix",
        "den",
        "--paid",
        "--key-stdin",
      ],
      { stdin: "hs-secret-key\n" },
    );
    expect(added).toMatchObject({ code: 0, stderr: "" });
    // One request checks that the address does not lead back here, one is the test.
    expect(upstream.requests).toHaveLength(2);
    expect(await listed()).toMatchObject([
      { id: "my-grosse", prefix: "den", paid: true, key: "stored" },
    ]);

    expect(
      await cli([
        "channels",
        "set",
        "my-grosse",
        "--name",
        "Den",
        "--free",
        "--shares-long-files",
        "off",
      ]),
    ).toMatchObject({
      code: 0,
      stderr:
        "hearsay: 'shares-long-files' has no effect any more: a file is transcribed by one channel\n",
    });
    expect(await listed()).toMatchObject([
      { id: "my-grosse", name: "Den", paid: false, key: "stored" },
    ]);

    const moved = await cli(["channels", "set", "Den", "--url", other.baseUrl]);
    expect([moved.code, moved.stderr]).toEqual([
      0,
      expect.stringContaining("'Den' has no key any more"),
    ]);
    expect(moved.stderr).toContain("--key-stdin");
    await cli(["channels", "set", "Den", "--key", "hs-other"]);
    expect(await cli(["channels", "set", "Den", "--no-key"])).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(await listed()).toMatchObject([{ key: "none" }]);
  });

  it("keeps alias targets that no channel offers, and reports it", async () => {
    const route = await cli([
      "channels",
      "route",
      "--alias",
      "whisper-1=nobody/whisper-1,whisper-base,whisper-1",
    ]);
    expect(route).toMatchObject({
      code: 0,
      stderr:
        "hearsay: no channel offers 'nobody/whisper-1' at the moment: it is skipped until one does.\n",
    });
    expect(route.stdout).toContain("nobody/whisper-1, then whisper-base, then whisper-1");
    expect(await cli(["channels", "route", "--alias", "whisper-1="])).toMatchObject({
      code: 0,
      stderr: "",
    });
  });
});

describe("hearsay usage", () => {
  it("sets the price of a model", async () => {
    const set = await cli([
      "usage",
      "--price",
      "groq/whisper-large-v3",
      "--per-minute",
      "0.00185",
      "--json",
    ]);
    expect(set).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(set.stdout)).toMatchObject({
      prices: {
        "groq/whisper-large-v3": { perMinuteUsd: 0.00185 },
        "tts-1": { perThousandCharactersUsd: 0.015 },
      },
    });
    const more = await cli([
      "usage",
      "--price",
      "kokoro/kokoro",
      "--per-thousand-characters",
      "0.01",
    ]);
    expect(more.stdout).toMatch(/^groq\/whisper-large-v3 +0\.00185$/m);
    expect(more.stdout).toMatch(/^kokoro\/kokoro +0\.01$/m);
    const wrong = await Promise.all(
      [
        ["--price", "x"],
        ["--per-minute", "1"],
        ["--price", "x", "--per-minute", "-1"],
      ].map((args) => cli(["usage", ...args])),
    );
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2]);
  });
});

describe("hearsay phonemes", () => {
  it("reads lines of standard input and of files", async () => {
    const out = await openTestFolder();
    await writeFile(join(out, "lines.txt"), "hello\r\nworld\n");
    const [piped, file] = await Promise.all([
      cli(["phonemes"], { stdin: "hello\nworld\n" }),
      besideApp(["phonemes", "lines.txt"], { cwd: out }),
    ]);
    expect(piped.stdout).toBe("həlˈO\nwˈɜɹld\n");
    expect(file.stdout).toBe(piped.stdout);
  });

  it("reports a missing file", async () => {
    const { code, stderr } = await cli(["phonemes", "missing.txt"]);
    expect(code).toBe(1);
    expect(stderr).toContain("missing.txt");
    expect(stderr).not.toContain("    at ");
  });
});

describe.runIf(hasSignals)("Ctrl-C", () => {
  it.each([
    ["synthesizing", [...speakAtOnce, "--file", "long.txt", "-o", "long.mp3"]],
    ["transcribing", ["transcribe", "long.wav", "-o", "long.txt.out"]],
  ] as const)("ends %s at once and leaves nothing", async (doing, args) => {
    const work = await openTestFolder();
    const minutes = Array.from({ length: 12 }, () => tenSentences).join("\n\n");
    await writeFile(join(work, "long.txt"), minutes);
    if (doing === "transcribing")
      await writeAudioFile(
        join(work, "long.wav"),
        repeated(await synthesizeSamples(tenSentences), 12),
      );
    const child = start(args, { dataDir, cwd: work });
    const outcome = waitForResult(child);
    const pid = child.pid ?? 0;
    let pids: number[] = [];
    // The launcher or the program itself, and the engine processes.
    await waitUntil(async () => {
      pids = processTree(pid);
      const [part] = (await readdir(work)).filter((name) => name.endsWith(".part"));
      const begun =
        part !== undefined && (doing === "transcribing" || (await stat(join(work, part))).size > 0);
      return begun && pids.length >= 3;
    });
    process.kill(-pid, "SIGINT");
    const { code, stdout, stderr } = await outcome;
    expect([code, stdout, stderr]).toEqual([130, "", ""]);
    await waitUntilExited(pids);
    expect((await readdir(work)).sort()).toEqual(
      doing === "transcribing" ? ["long.txt", "long.wav"] : ["long.txt"],
    );
    await expectTidy(work);
  });
});

function repeated(samples: Float32Array, times: number): Float32Array {
  const all = new Float32Array(samples.length * times);
  for (let time = 0; time < times; time += 1) all.set(samples, time * samples.length);
  return all;
}

/** Runs a line of shell script; the path of the command line is in $HEARSAY. */
async function shell(script: string) {
  const child = spawn("bash", ["-c", script], {
    env: { ...shellEnv(dataDir), HEARSAY: hearsay },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outcome = await waitForResult(child);
  return { ...outcome, code: await waitForExit(child) };
}
