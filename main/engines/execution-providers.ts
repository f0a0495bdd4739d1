// Which of onnxruntime's execution providers a model uses: the CPU, unless a trial on this machine showed that another
// one gives the same text in less time. Drivers crash, so each trial belongs in a child process of its own.

import { listSupportedBackends } from "onnxruntime-node";

/** `text` is what the model made of a clip, `durationMs` how long the second run took. */
export type ProviderTrial = { readonly text: string; readonly durationMs: number };

export type ProviderChoice = {
  readonly provider: string;
  /** Why, in one line for each other provider. */
  readonly reasons: readonly string[];
};

/** A smaller gain is not worth the memory that a provider takes. */
const minSpeedup = 1.2;

/** Providers besides the CPU that come with the library: CoreML on macOS, DirectML on Windows, WebGPU. */
export const bundledProviders = (
  backends: readonly { name: string; bundled: boolean }[] = listSupportedBackends(),
): string[] =>
  backends.filter(({ name, bundled }) => bundled && name !== "cpu").map(({ name }) => name);

/** @param tryProvider transcribes a clip with the provider, in a child process; rejects if that fails */
export async function chooseProvider(
  providers: readonly string[],
  tryProvider: (provider: string) => Promise<ProviderTrial>,
): Promise<ProviderChoice> {
  const cpu = await tryProvider("cpu");
  const reasons: string[] = [];
  let best = { provider: "cpu", durationMs: cpu.durationMs / minSpeedup };
  for (const provider of providers) {
    const outcome = await tryProvider(provider).catch((error: unknown) => String(error));
    if (typeof outcome === "string") reasons.push(`${provider} failed: ${outcome}`);
    else if (outcome.text !== cpu.text) reasons.push(`${provider} gave another text than the CPU`);
    else {
      const speedup = cpu.durationMs / outcome.durationMs;
      reasons.push(`${provider} is ${speedup.toFixed(1)} times as fast as the CPU`);
      if (outcome.durationMs < best.durationMs) best = { provider, durationMs: outcome.durationMs };
    }
  }
  return { provider: best.provider, reasons };
}
