// sherpa-onnx-node with the Moonshine files of Useful Sensors' npm package, as workers for the same speech segments.
// HEARSAY_BENCH_SHERPA_DIR: the node_modules folder where it is installed. HEARSAY_BENCH_MOONSHINE_DIR: the folder with
// encoder_model.onnx and decoder_model_merged.onnx.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { type RecognizerWorkers, startRecognizerWorkers } from "../recognizer-workers.ts";

export type SherpaOptions = {
  packageDir: string;
  encoder: string;
  decoder: string;
  tokens: string;
  threads: number;
};

/** Why it cannot run here, or undefined if it can. */
export function sherpaUnavailableReason(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { HEARSAY_BENCH_SHERPA_DIR: packages, HEARSAY_BENCH_MOONSHINE_DIR: model } = env;
  if (packages === undefined || !existsSync(join(packages, "sherpa-onnx-node")))
    return "HEARSAY_BENCH_SHERPA_DIR names no node_modules folder with sherpa-onnx-node";
  if (model === undefined || !existsSync(join(model, "decoder_model_merged.onnx")))
    return "HEARSAY_BENCH_MOONSHINE_DIR names no folder with decoder_model_merged.onnx";
  return undefined;
}

/**
 * @param scratchDir folder for its token list
 * @param threads per worker
 */
export async function startSherpa(
  scratchDir: string,
  count: number,
  threads: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RecognizerWorkers> {
  const packages = env["HEARSAY_BENCH_SHERPA_DIR"] ?? "";
  const model = env["HEARSAY_BENCH_MOONSHINE_DIR"] ?? "";
  const tokens = join(scratchDir, "sherpa-tokens.txt");
  writeFileSync(tokens, tokenList());
  const options: SherpaOptions = {
    packageDir: join(packages, "sherpa-onnx-node"),
    encoder: join(model, "encoder_model.onnx"),
    decoder: join(model, "decoder_model_merged.onnx"),
    tokens,
    threads,
  };
  // Its shared library lies next to its binding, where the system's loader does not search.
  const libraries = join(
    packages,
    `sherpa-onnx-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`,
  );
  return startRecognizerWorkers({
    modulePath: join(import.meta.dirname, "sherpa-worker.ts"),
    count,
    options,
    env: { LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
  });
}

/** One token per line: its bytes in base64, then its id. After the 32,000 tokens the model has 768 reserved ones. */
function tokenList(): string {
  const { dir } = shippedModel("moonshine-base");
  const vocabulary = JSON.parse(readFileSync(join(dir, "vocabulary.json"), "utf8")) as string[];
  const all = [...vocabulary, ...Array.from({ length: 768 }, (_, index) => `<<ST_${index}>>`)];
  return all.map((token, id) => `${Buffer.from(token).toString("base64")} ${id}\n`).join("");
}
