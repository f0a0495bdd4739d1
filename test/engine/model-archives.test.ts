import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";
import { expect, it } from "vitest";
import { createHeadlessPlatform } from "../../main/cli/platform.ts";
import type { CatalogEntry, InstalledModel } from "../../main/contract/models.ts";
import { zipArchive } from "../../main/library/archive/zip.ts";
import {
  createModelImporter,
  type ModelImporterDeps,
} from "../../main/models/archives/model-importer.ts";
import { createManifest } from "../../main/models/manifest.ts";
import { hashesOf, sha256 } from "../support/fake-hub.ts";
import { contentOf, graph, silero, sileroHashes } from "../support/model-downloads.ts";
import { openTestFolder } from "../support/test-data.ts";

const signal = new AbortController().signal;

/** The files of Moonshine v2, as far as they are looked at, as in a release archive. */
const moonshine: Readonly<Record<string, string>> = {
  "sherpa-onnx-moonshine-tiny-fr-test/encoder_model.ort": "encoder",
  "sherpa-onnx-moonshine-tiny-fr-test/decoder_model_merged.ort": "decoder",
  "sherpa-onnx-moonshine-tiny-fr-test/tokens.txt": "a 0\n",
  "sherpa-onnx-moonshine-tiny-fr-test/test_wavs/0.wav": "RIFF",
};
const moonshineFiles = ["decoder_model_merged.ort", "encoder_model.ort", "tokens.txt"];
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
  const installed: CatalogEntry[] = [];
  const importer = createModelImporter({
    incomingDir: join(folder, ".incoming"),
    catalog: [silero()],
    launchChild: createHeadlessPlatform(folder).launchChild,
    async install(entry, from) {
      installed.push(entry);
      await rename(from, join(folder, entry.id));
      return entry as InstalledModel;
    },
    ...deps,
  });
  return {
    folder,
    installed,
    async run(path: string): Promise<string> {
      const { id } = await importer.run(path, { signal });
      expect(await readdir(join(folder, ".incoming"))).toEqual([]);
      return id;
    },
    /** Id of the error's message. */
    async errorOf(path: string): Promise<string | undefined> {
      const error: unknown = await importer
        .run(path, { signal })
        .catch((reason: unknown) => reason);
      expect(await readdir(join(folder, ".incoming"))).toEqual([]);
      expect(installed).toEqual([]);
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
  expect(installed).toEqual([silero()]);
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
  const { installed, errorOf, run, write } = await setUp({ catalog: [] });
  const manifest = JSON.stringify(
    createManifest(silero(), { origin: "downloaded", installedAt: 1 }),
  );
  const files = { "silero/manifest.json": manifest, "silero/LICENSE": contentOf("LICENSE") };
  const damaged = await zipOf({ ...files, [`silero/${graph}`]: "other" });
  expect(await errorOf(await write("damaged.zip", damaged))).toBe("modelImport.checksum");
  const whole = await zipOf({ ...files, [`silero/${graph}`]: contentOf(graph) });
  expect(await run(await write("renamed.zip", whole))).toBe("silero");
  expect(installed).toEqual([silero()]);
});

it("writes nothing outside of its folder", async () => {
  const { folder, errorOf, write } = await setUp();
  for (const [name, bytes] of [
    ["a.tar", await tarOf([{ name: "../evil.txt", content: "x" }])],
    ["b.tar", await tarOf([{ name: "/tmp/hearsay-evil.txt", content: "x" }])],
    ["c.zip", await zipOf({ "../evil.txt": "x" })],
    ["d.zip", await zipOf({ "..\\evil.txt": "x" })],
  ] as const)
    expect([name, await errorOf(await write(name, bytes))]).toEqual([name, "modelImport.unsafe"]);
  expect(await readdir(folder)).not.toContain("evil.txt");
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

it("stops when an archive unpacks to more than the disk holds", async () => {
  // 256 MB are kept free.
  const { errorOf, write } = await setUp({ freeBytes: async () => 2 ** 28 + 1_000_000 });
  const tar = gzipSync(await tarOf([{ name: "zeros", content: Buffer.alloc(20_000_000) }]));
  expect(tar.length).toBeLessThan(100_000);
  expect(await errorOf(await write("bomb.tar.gz", tar))).toBe("storage.full");
});

it.each([
  ["modelImport.format", async () => Buffer.from("this is a text and no archive")],
  ["modelImport.unreadable", async () => (await zipOf(moonshine)).subarray(0, 200)],
  ["modelImport.unreadable", async () => gzipSync(await moonshineTar()).subarray(0, 150)],
  ["modelImport.unreadable", async () => moonshineBzip2.subarray(0, 150)],
  ["modelImport.noFamily", () => zipOf({ "readme.txt": "nothing" })],
])("reports %s", async (id, bytes) => {
  const { errorOf, write } = await setUp();
  expect(await errorOf(await write("archive", await bytes()))).toBe(id);
});

it("reports a path that does not exist", async () => {
  const { folder, errorOf } = await setUp();
  expect(await errorOf(join(folder, "nothing"))).toBe("modelImport.missing");
});
