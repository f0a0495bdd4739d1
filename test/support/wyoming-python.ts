// The reference client of the Wyoming protocol: the Python package that Home Assistant uses, fetched once by pip.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pipDownloadOptions, runTool, testCacheDir } from "./registry-weights.ts";

const version = "1.10.2";
const python = process.platform === "win32" ? "python" : "python3";

/** Path of the package, which Python imports as it is; or why it cannot be used here. */
export async function findWyomingPackage(): Promise<{ wheel?: string; missing?: string }> {
  const folder = join(testCacheDir, `wyoming-${version}`);
  try {
    const [wheel = ""] = await readdir(folder).catch(() => download(folder));
    await promisify(execFile)(python, ["-c", "import wyoming.client"], {
      env: { ...process.env, PYTHONPATH: join(folder, wheel) },
    });
    return { wheel: join(folder, wheel) };
  } catch (error) {
    const missing = (error as Error).message.split("\n")[0] ?? "";
    // The names of skipped tests are not always shown.
    process.stderr.write(`The Python package wyoming cannot be used: ${missing}\n`);
    return { missing };
  }
}

async function download(folder: string): Promise<string[]> {
  await mkdir(testCacheDir, { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  try {
    const wanted = `wyoming==${version}`;
    await runTool("pip", ["download", wanted, ...pipDownloadOptions.split(" ")], temporary);
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return readdir(folder);
}

/** What wyoming_client.py saw. */
export type PythonResult = {
  models: string[];
  voices: string[];
  streams: boolean[];
  speechEvents: string[];
  speechMs: number;
  transcriptEvents: string[];
  transcript: string;
  error: string;
};

export async function runPythonClient(
  wheel: string,
  port: number,
  sentences: readonly string[],
): Promise<PythonResult> {
  const script = join(import.meta.dirname, "wyoming_client.py");
  const { stdout } = await promisify(execFile)(python, [script, String(port), ...sentences], {
    env: { ...process.env, PYTHONPATH: wheel },
  });
  return JSON.parse(stdout) as PythonResult;
}
