import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";
import { expect, it } from "vitest";
import { createNodePlatform } from "../../main/cli/platform.ts";
import type { CatalogEntry, InstalledModel } from "../../main/contract/models.ts";
import { archiveStartBytes, type PlannedImport } from "../../main/contract/model-downloads.ts";
import { zipArchive } from "../../main/library/archive/zip.ts";
import {
  createModelImporter,
  type ModelImporterDeps,
} from "../../main/models/archives/model-importer.ts";
import { hashesOf, sha256 } from "../support/fake-hub.ts";
import { contentOf, graph, silero, sileroHashes } from "../support/model-downloads.ts";
import { openTestFolder } from "../support/test-data.ts";

const signal = new AbortController().signal;

/** The files of Moonshine v2, as far as they are looked at, as in a release archive. */
const moonshineFolder = "sherpa-onnx-moonshine-tiny-fr-test";
const moonshineContent: Readonly<Record<string, string>> = {
  "encoder_model.ort": "encoder",
  "decoder_model_merged.ort": "decoder",
  "tokens.txt": "a 0\n",
};
const inFolder = (content: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(content).map(([name, text]) => [`${moonshineFolder}/${name}`, text]),
  );
const moonshine = inFolder({ ...moonshineContent, "test_wavs/0.wav": "RIFF" });
const moonshineFiles = Object.keys(moonshineContent).sort();

const fileNamed = (name: string, content = ""): CatalogEntry["files"] => [
  { name, sizeBytes: content.length, sha256: sha256(Buffer.from(content)) },
];
/** A model of the hub that was exported. */
const exportedEntry: CatalogEntry = {
  ...silero(),
  id: "someone--speech-fr",
  family: "moonshine-v2",
  kind: "speech-to-text",
  name: "someone/speech-fr",
  files: Object.entries(moonshineContent).flatMap(([name, text]) => fileNamed(name, text)),
};
/** @param changes to the manifest */
const exported = (changes: object = {}): Record<string, string> =>
  inFolder({
    ...moonshineContent,
    "manifest.json": JSON.stringify({
      ...exportedEntry,
      origin: "downloaded",
      installedAt: 1,
      ...changes,
    }),
  });
/** The same, compressed with bzip2. */
const moonshineBzip2 = Buffer.from(
  "QlpoOTFBWSZTWYt/+FMAAWnfgMmRQgf/ggEgEADv79/gBSgwAQkqElJgo9JMI2RoaAIyaafpGgikmpPUwnoJptQxoEZMCeowwADR" +
    "poAyaA0GQGhf3PDMZkDOYhQDuWUAj4kkkjRGqrS560hAyg5Cg8iQ3CoYQSEGKhqGQWQFo2jQMx3Dc3ce16K4hL4UCsVyBXVqss1z" +
    "wAPxA01zc0K2DnlFmh4bTBqDBDIQaMcRUpBElIoaSZbw4+a7CsiJ0xNF5WuYwfquE4Vp/MHvm0LpipA5jh2gzGY4PQ6NIyLRmMoH" +
    "CNA3j9DzpGAnC6GIWE+xXCoQQKf8nn9DL3iiBeKk8VCcQ+5Axi7jjZZi+OWB0iB4F3JFOFCQi3/4Uw==",
  "base64",
);

async function setUp(deps: Partial<ModelImporterDeps> = {}) {
  const folder = await openTestFolder();
  const installed: InstalledModel[] = [];
  const importer = createModelImporter({
    incomingDir: join(folder, ".incoming"),
    catalog: [silero()],
    installed: () => installed,
    launchChild: createNodePlatform(folder).launchChild,
    async install(entry, from) {
      const dir = join(folder, entry.id);
      const model: InstalledModel = { ...entry, dir, origin: "imported", installedAt: 0 };
      await rename(from, dir);
      installed.push(model);
      return model;
    },
    ...deps,
  });
  return {
    folder,
    installed,
    importer,
    async run(path: string): Promise<string> {
      const { id } = await importer.run(path, { signal });
      expect(await readdir(join(folder, ".incoming"))).toEqual([]);
      return id;
    },
    /** Id of the error's message. */
    async errorOf(path: string): Promise<string | undefined> {
      const before = [...installed];
      const error: unknown = await importer
        .run(path, { signal })
        .catch((reason: unknown) => reason);
      expect(await readdir(join(folder, ".incoming"))).toEqual([]);
      expect(await readdir(folder)).not.toContain("evil.txt");
      expect(installed).toEqual(before);
      return (error as { sent?: { id?: string } }).sent?.id;
    },
    async write(name: string, bytes: Uint8Array): Promise<string> {
      const path = join(folder, name);
      await writeFile(path, bytes);
      return path;
    },
  };
}

async function zipOf(files: Readonly<Record<string, Buffer | string>>): Promise<Buffer> {
  async function* entries() {
    for (const [name, content] of Object.entries(files)) {
      const bytes = Buffer.from(content);
      yield {
        name,
        modifiedAtMs: 0,
        sizeBytes: bytes.length,
        isCompressed: false,
        bytes: async function* () {
          yield bytes;
        },
      };
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipArchive(entries())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function tarOf(
  files: readonly (Partial<Header> & { name: string; content?: Buffer | string })[],
): Promise<Buffer> {
  const archive = pack();
  for (const { content = "", ...header } of files) archive.entry(header, content);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const moonshineTar = (): Promise<Buffer> =>
  tarOf(Object.entries(moonshine).map(([name, content]) => ({ name: `./${name}`, content })));

it.each([
  ["a.zip", () => zipOf(moonshine)],
  ["a.tar", moonshineTar],
  ["a.tar.gz", async () => gzipSync(await moonshineTar())],
  ["a.tar.bz2", async () => moonshineBzip2],
])("imports a release archive as %s, with the files that the family needs", async (name, bytes) => {
  const { folder, installed, run, write } = await setUp();
  expect(await run(await write(name, await bytes()))).toBe("sherpa-onnx-moonshine-tiny-fr-test");
  expect(installed).toMatchObject([
    {
      family: "moonshine-v2",
      languages: [{ code: "fr" }],
      files: expect.arrayContaining([
        { name: "encoder_model.ort", sizeBytes: 7, sha256: sha256(Buffer.from("encoder")) },
      ]),
    },
  ]);
  const files = await hashesOf(join(folder, "sherpa-onnx-moonshine-tiny-fr-test"));
  expect(Object.keys(files).sort()).toEqual(moonshineFiles);
});

it("recognizes a model of the catalog by its content, whatever its files are called", async () => {
  const { folder, installed, run, write } = await setUp();
  const zip = await zipOf({ "x/vad.onnx": contentOf(graph), "x/LICENSE": contentOf("LICENSE") });
  expect(await run(await write("download(1).zip", zip))).toBe("silero");
  expect(installed).toMatchObject([silero()]);
  expect(await hashesOf(join(folder, "silero"))).toEqual(sileroHashes);
});

it("names the damaged file of a model that the catalog knows", async () => {
  const { errorOf, write } = await setUp();
  const damaged = Buffer.from(contentOf(graph));
  damaged[1000] = (damaged[1000] ?? 0) ^ 1;
  const zip = await zipOf({ [graph]: damaged, LICENSE: contentOf("LICENSE") });
  expect(await errorOf(await write("a.zip", zip))).toBe("modelImport.checksum");
});

it("imports a folder of the hub's cache, whose files are links", async () => {
  const { folder, run } = await setUp();
  const cache = join(folder, "models--silero--vad");
  const snapshot = join(cache, "snapshots", "0123");
  for (const path of [join(cache, "blobs"), join(cache, "refs"), snapshot])
    await mkdir(path, { recursive: true });
  await writeFile(join(cache, "refs", "main"), "0123");
  for (const name of [graph, "LICENSE"]) {
    const blob = join(cache, "blobs", sha256(contentOf(name)));
    await writeFile(blob, contentOf(name));
    await symlink(join("..", "..", "blobs", basename(blob)), join(snapshot, name));
  }
  expect(await run(cache)).toBe("silero");
  // The source stays as it is, and the model does not depend on it.
  expect((await readdir(snapshot)).sort()).toEqual(["LICENSE", graph].sort());
  expect(
    (await readdir(join(folder, "silero"), { withFileTypes: true })).every((entry) =>
      entry.isFile(),
    ),
  ).toBe(true);
});

it("imports what was exported with its manifest, and refuses files that differ from it", async () => {
  const { installed, errorOf, run, write } = await setUp();
  const damaged = await zipOf({ ...exported(), [`${moonshineFolder}/encoder_model.ort`]: "other" });
  expect(await errorOf(await write("damaged.zip", damaged))).toBe("modelImport.checksum");
  expect(await run(await write("renamed.zip", await zipOf(exported())))).toBe("someone--speech-fr");
  expect(installed).toMatchObject([exportedEntry]);
});

it.each([
  ["family", { family: "espeak" }, "modelImport.manifest"],
  ["another family", { family: "whisper" }, "modelImport.otherFamily"],
  ["voice activity", { kind: "voice-activity" }, "modelImport.otherFamily"],
  ["voice activity", { family: "silero", kind: "voice-activity" }, "modelImport.otherFamily"],
  [
    "licence.url",
    { licence: { name: "free", url: "javascript:alert(1)" } },
    "modelImport.manifest",
  ],
  ["id", { id: "CON" }, "modelImport.manifest"],
  ["id", { id: "nul.onnx" }, "modelImport.manifest"],
  ["id", { id: "model." }, "modelImport.manifest"],
  ["id", { id: "model " }, "modelImport.manifest"],
  ["id", { id: "../model" }, "modelImport.manifest"],
  ["files.0.name", { files: fileNamed("aux.ort") }, "modelImport.manifest"],
  ["files.0.name", { files: fileNamed("tokens.txt ") }, "modelImport.manifest"],
  ["files.0.name", { files: fileNamed("/etc/passwd") }, "modelImport.manifest"],
  ["files.0.name", { files: fileNamed(".prepared/tokens.txt") }, "modelImport.manifest"],
  ["files.0.name", { files: fileNamed("manifest.json") }, "modelImport.manifest"],
  ["files", { files: [...fileNamed("a"), ...fileNamed("A")] }, "modelImport.manifest"],
])("refuses a manifest with a faulty %s", async (field, changes, id) => {
  const { folder, importer, write } = await setUp();
  const path = await write("a.zip", await zipOf(exported(changes)));
  const error: unknown = await importer.run(path, { signal }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    key: "invalid_value",
    sent: { id, ...(id === "modelImport.manifest" ? { params: { field } } : {}) },
  });
  expect(await readdir(join(folder, ".incoming"))).toEqual([]);
});

it("takes no manifest of another program for its own", async () => {
  const { run, write } = await setUp();
  const files = {
    ...moonshine,
    "sherpa-onnx-moonshine-tiny-fr-test/manifest.json": '{"name":"x"}',
  };
  expect(await run(await write("a.zip", await zipOf(files)))).toBe(
    "sherpa-onnx-moonshine-tiny-fr-test",
  );
});

it("gives a model a free id, whatever its folder is called", async () => {
  const { folder, installed, run } = await setUp();
  const write = async (path: string, content: string): Promise<string> => {
    const dir = join(folder, path);
    await mkdir(dir, { recursive: true });
    for (const name of moonshineFiles) await writeFile(join(dir, name), content + name);
    return dir;
  };
  expect(await run(await write("one/fr", "1"))).toBe("fr");
  expect(await run(await write("two/fr", "2"))).toBe("fr-2");
  expect(await run(await write("three/FR", "3"))).toBe("fr-3");
  for (const name of ["whisper-1", "tts-1", "tts-1-hd", "silero"])
    expect(await run(await write(`four/${name}`, name))).toBe(`${name}-2`);
  expect(new Set(installed.map(({ dir }) => dir)).size).toBe(7);
  expect(await readFile(join(folder, "fr", "tokens.txt"), "utf8")).toBe("1tokens.txt");
});

it("distinguishes ids that some file systems do not", async () => {
  const { run, write } = await setUp();
  const other = { ...moonshine, [`${moonshineFolder}/tokens.txt`]: "b 0\n" };
  const id = moonshineFolder.toUpperCase();
  expect(await run(await write("a.zip", await zipOf(exported({ id }))))).toBe(id);
  expect(await run(await write("b.zip", await zipOf(other)))).toBe(`${moonshineFolder}-2`);
});

it("says that a model is here already, and repairs a damaged one", async () => {
  const { folder, installed, importer, errorOf, run, write } = await setUp();
  const zip = await write("a.zip", await zipOf(moonshine));
  const id = await run(zip);
  expect(await errorOf(zip)).toBe("modelImport.alreadyHere");
  const [model] = installed.splice(0);
  if (model === undefined) throw new Error("nothing was installed");
  installed.push({ ...model, damaged: { message: "a file is missing" } });
  await rm(join(folder, id), { recursive: true });
  expect((await importer.run(zip, { name: "other.zip", signal })).id).toBe(id);
});

it("gives two models that are imported at once different ids", async () => {
  const bothCopied = Promise.withResolvers<void>();
  const installed: InstalledModel[] = [];
  let copied = 0;
  const { folder, importer } = await setUp({
    installed: () => installed,
    onProgress(fraction) {
      if (fraction === 1) copied += 1;
      if (copied === 2) bothCopied.resolve();
    },
    async install(entry) {
      await bothCopied.promise;
      const model: InstalledModel = { ...entry, dir: "", origin: "imported", installedAt: 0 };
      installed.push(model);
      return model;
    },
  });
  const run = async (parent: string): Promise<string> => {
    const dir = join(folder, parent, "fr");
    await mkdir(dir, { recursive: true });
    for (const name of moonshineFiles) await writeFile(join(dir, name), parent);
    return (await importer.run(dir, { signal })).id;
  };
  expect((await Promise.all([run("one"), run("two")])).sort()).toEqual(["fr", "fr-2"]);
});

it("deletes what an import has left whose process was killed, and leaves other imports and downloads", async () => {
  const isInstalling = Promise.withResolvers<void>();
  const mayInstall = Promise.withResolvers<void>();
  const { folder, importer, write } = await setUp({
    async install(entry) {
      isInstalling.resolve();
      await mayInstall.promise;
      return { ...entry, dir: "", origin: "imported", installedAt: 0 };
    },
  });
  const zip = await write("a.zip", await zipOf(moonshine));
  const running = importer.run(zip, { signal });
  await isInstalling.promise;
  const incoming = join(folder, ".incoming");
  const [own = ""] = await readdir(incoming);
  for (const name of ["import-killed/files", "someone--model/parts"])
    await mkdir(join(incoming, name), { recursive: true });
  await importer.run(join(folder, "missing"), { signal }).catch(() => {});
  expect((await readdir(incoming)).toSorted()).toEqual([own, "someone--model"]);
  mayInstall.resolve();
  await running;
  expect(await readdir(incoming)).toEqual(["someone--model"]);
});

it("reports its progress with a folder while its files are read and while they are copied", async () => {
  const seen: { fraction: number; isCopied: boolean }[] = [];
  const { folder, importer } = await setUp();
  const incoming = join(folder, ".incoming");
  const hasCopies = () =>
    readdirSync(incoming, { recursive: true }).some((name) => String(name).endsWith(".ort"));
  const dir = join(folder, "source", "fr");
  await mkdir(dir, { recursive: true });
  for (const name of moonshineFiles) await writeFile(join(dir, name), randomBytes(2 ** 21));
  await importer.run(dir, {
    signal,
    onProgress: (fraction) => void seen.push({ fraction, isCopied: hasCopies() }),
  });
  const fractions = seen.map(({ fraction }) => fraction);
  expect(fractions).toEqual(fractions.toSorted((one, other) => one - other));
  expect(fractions.at(-1)).toBe(1);
  expect(seen.filter(({ isCopied }) => !isCopied).length).toBeGreaterThan(2);
});

it("writes nothing outside of its folder", async () => {
  const { errorOf, write } = await setUp();
  for (const [name, bytes] of [
    ["a.tar", await tarOf([{ name: "../evil.txt", content: "x" }])],
    ["b.tar", await tarOf([{ name: "/tmp/hearsay-evil.txt", content: "x" }])],
    ["c.zip", await zipOf({ "../evil.txt": "x" })],
    ["d.zip", await zipOf({ "..\\evil.txt": "x" })],
  ] as const)
    expect([name, await errorOf(await write(name, bytes))]).toEqual([name, "modelImport.unsafe"]);
});

/** Without its second half. */
const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);

it("says that an archive is damaged, also in the middle of a file", async () => {
  const { errorOf, write } = await setUp();
  const content = randomBytes(100_000);
  const tar = await tarOf([{ name: "model.onnx", content }]);
  const zip = await zipOf({ "model.onnx": content });
  zip[50_000] = ~(zip[50_000] ?? 0);
  for (const [name, bytes] of [
    ["a.zip", zip],
    ["a.tar", half(tar)],
    ["a.tar.gz", half(gzipSync(tar))],
    ["a.tar.bz2", half(moonshineBzip2)],
  ] as const)
    expect([name, await errorOf(await write(name, bytes))]).toEqual([
      name,
      "modelImport.unreadable",
    ]);
});

it.skipIf(process.platform === "win32")("waits for no pipe", async () => {
  const { folder, errorOf } = await setUp();
  const pipe = join(folder, "model.tar");
  execFileSync("mkfifo", [pipe]);
  expect(await errorOf(pipe)).toBe("modelImport.format");
});

it("leaves out links, which could lead anywhere", async () => {
  const { errorOf, write } = await setUp();
  const tar = await tarOf([
    { name: "m/tokens.txt", type: "symlink", linkname: "/etc/passwd" },
    { name: "m/encoder_model.ort", content: "encoder" },
    { name: "m/decoder_model_merged.ort", content: "decoder" },
  ]);
  expect(await errorOf(await write("a.tar", tar))).toBe("modelImport.noFamily");
});

it("follows no link to a folder that is outside", async () => {
  const { folder, errorOf, write } = await setUp();
  const tar = await tarOf([
    { name: "m", type: "symlink", linkname: folder },
    { name: "m/evil.txt", content: "x" },
  ]);
  expect(await errorOf(await write("a.tar", tar))).toBe("modelImport.noFamily");
});

it("stops when an archive unpacks to more than the disk holds", async () => {
  // 256 MB are kept free.
  const { errorOf, write } = await setUp({ freeBytes: async () => 2 ** 28 + 1_000_000 });
  const tar = gzipSync(await tarOf([{ name: "large", content: randomBytes(2_000_000) }]));
  expect(await errorOf(await write("large.tar.gz", tar))).toBe("storage.full");
});

it("stops when an archive unpacks to far more than its size", async () => {
  const { errorOf, write } = await setUp();
  const tar = gzipSync(await tarOf([{ name: "zeros", content: Buffer.alloc(20_000_000) }]));
  expect(tar.length).toBeLessThan(100_000);
  expect(await errorOf(await write("bomb.tar.gz", tar))).toBe("modelImport.tooLarge");
});

const freeBytes = async (): Promise<number> => 1e9;
const plan = (...names: string[]): PlannedImport => ({
  sizeBytes: 1,
  files: names.map((name) => ({ name, sizeBytes: 1 })),
});

it.each([
  ["modelImport.tooMany", plan(...Array<string>(5001).fill("model.onnx"))],
  ["modelImport.noFamily", plan("holiday/beach.jpg", "holiday/film.mp4")],
  ["modelImport.noFamily", plan()],
  ["modelImport.format", { sizeBytes: 1, start: btoa("\0\0\0\x18ftypmp42") }],
  // It takes room for itself and for what is unpacked, and leaves some to others.
  [
    "modelImport.noSpace",
    { sizeBytes: 0, files: [{ name: "model/encoder.onnx", sizeBytes: 400e6 }] },
  ],
])("refuses before an upload: %s", async (id, planned) => {
  const { importer } = await setUp({ freeBytes });
  await expect(importer.check(planned)).rejects.toMatchObject({ sent: { id } });
});

it("agrees to the upload of what may be a model", async () => {
  const { importer } = await setUp({ freeBytes });
  const archives = [moonshineBzip2, await zipOf(moonshine), await moonshineTar()];
  const planned = archives.map((bytes) => ({
    start: bytes.subarray(0, archiveStartBytes).toString("base64"),
  }));
  for (const each of planned)
    await expect(importer.check({ sizeBytes: 300e6, ...each })).resolves.toBeUndefined();
  const name = "model/decoder_model_merged.ort";
  await expect(importer.check(plan(name))).resolves.toEqual([name]);
});

it("refuses archives and folders of more files than a model has", async () => {
  const { folder, errorOf, write } = await setUp();
  const files = Array.from({ length: 5001 }, (_, number) => ({ name: `${number}`, content: "" }));
  expect(await errorOf(await write("a.tar", await tarOf(files)))).toBe("modelImport.tooMany");
  await Promise.all(files.map(({ name }) => mkdir(join(folder, "m", name), { recursive: true })));
  expect(await errorOf(join(folder, "m"))).toBe("modelImport.tooMany");
});

it("leaves nothing behind when an import is cancelled", async () => {
  const { folder, importer, write } = await setUp();
  const zip = await write("a.zip", await zipOf(moonshine));
  const stop = new AbortController();
  const cancelled = new Error("cancelled");
  const task = importer.run(zip, { signal: stop.signal });
  stop.abort(cancelled);
  await expect(task).rejects.toBe(cancelled);
  expect(await readdir(join(folder, ".incoming"))).toEqual([]);
});

it.each([
  ["modelImport.format", async () => Buffer.from("this is a text and no archive")],
  ["modelImport.unreadable", async () => (await zipOf(moonshine)).subarray(0, 200)],
  ["modelImport.unreadable", async () => gzipSync(await moonshineTar()).subarray(0, 150)],
  ["modelImport.unreadable", async () => moonshineBzip2.subarray(0, 150)],
  ["modelImport.noFamily", () => zipOf({ "readme.txt": "nothing" })],
  ["modelImport.unreadable", async () => await tarOf([{ name: "m/a" }, { name: "m/a" }])],
  ["modelImport.unreadable", async () => await tarOf([{ name: "m" }, { name: "m/a" }])],
])("reports %s", async (id, bytes) => {
  const { errorOf, write } = await setUp();
  expect(await errorOf(await write("archive", await bytes()))).toBe(id);
});

it("takes no folder for the hub's cache that only looks like it", async () => {
  const { folder, errorOf } = await setUp();
  await mkdir(join(folder, "m", "snapshots"), { recursive: true });
  await writeFile(join(folder, "m", "snapshots", "file"), "");
  expect(await errorOf(join(folder, "m"))).toBe("modelImport.noFamily");
});

it("reports a path that does not exist", async () => {
  const { folder, errorOf } = await setUp();
  expect(await errorOf(join(folder, "nothing"))).toBe("modelImport.missing");
});
