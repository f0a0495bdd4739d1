// Caches speech for tests in files, since synthesis takes seconds. The file's name covers everything that determines
// the result.

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { shippedModel } from "../../main/models/shipped-models.ts";

const project = resolve(import.meta.dirname, "..", "..");
const cacheDir = join(project, "node_modules", ".cache", "speech-for-tests");
const sources = [
  "main/engines/tts",
  "main/engines/session-options.ts",
  "main/text",
  "node_modules/onnxruntime-node/package.json",
];
let engineDigest: string | undefined;

/** The samples of a text, synthesized only if no earlier test has done so. */
export async function cachedSpeech(
  voice: string,
  text: string,
  synthesize: () => Promise<Float32Array>,
): Promise<Float32Array> {
  engineDigest ??= computeEngineDigest();
  const path = join(
    cacheDir,
    createHash("sha256")
      .update(JSON.stringify([engineDigest, voice, text]))
      .digest("hex"),
  );
  const bytes = read(path);
  if (bytes !== undefined)
    return new Float32Array(
      bytes.buffer,
      bytes.byteOffset,
      bytes.byteLength / Float32Array.BYTES_PER_ELEMENT,
    ).slice();
  const samples = await synthesize();
  mkdirSync(cacheDir, { recursive: true });
  // Written under another name first, because other tests may read the file as soon as it exists.
  const tempPath = `${path}.${randomUUID()}`;
  writeFileSync(tempPath, samples);
  renameSync(tempPath, path);
  return samples;
}

/** Copied, since Float32Array needs an aligned buffer. */
function read(path: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** Covers the sources of the synthesis, and the sizes of the model's files. */
function computeEngineDigest(): string {
  const digest = createHash("sha256");
  for (const source of sources)
    for (const path of listFiles(join(project, source)))
      digest.update(path).update(readFileSync(path));
  const { dir, files } = shippedModel("hibari");
  for (const { name } of files) digest.update(`${name} ${statSync(join(dir, name)).size}`);
  return digest.digest("hex");
}

function listFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}
