// Which of onnxruntime's execution providers a model uses: the CPU, unless a trial on this machine showed that another
// one gives the same words in less time.

import { type ModelMeasurement, providerName } from "../contract/measurements.ts";
import { createMessage, type SentMessage } from "../contract/messages/messages.ts";
import { AppError } from "../contract/errors.ts";
import { findTextErrors } from "../transcript/word-errors.ts";

/** `text` is what the model made of a clip, `tookSec` how long the second run took. */
export type ProviderTrial = { readonly text: string; readonly tookSec: number };

export type ProviderChoice = {
  readonly provider: string;
  /** Why, for each provider besides the CPU. */
  readonly reasons: SentMessage[];
};

/** A smaller gain is not worth the memory that a provider takes. */
const minSpeedup = 1.2;

/** @param tryProvider transcribes the clip with the provider, in a child process; rejects if that fails */
export async function chooseProvider(
  cpu: ProviderTrial & { readonly language: string },
  providers: readonly string[],
  tryProvider: (provider: string) => Promise<ProviderTrial>,
): Promise<ProviderChoice> {
  const reasons: SentMessage[] = [];
  let best = { provider: "cpu", tookSec: cpu.tookSec / minSpeedup };
  for (const name of providers) {
    const provider = providerName(name);
    const outcome = await tryProvider(name).catch((error: unknown) => reasonOf(error));
    if ("message" in outcome)
      reasons.push(createMessage("model.providerFailed", { provider, reason: outcome }));
    else if ((await findTextErrors(cpu.text, outcome.text, cpu.language)).rate > 0)
      reasons.push(createMessage("model.providerDiffers", { provider }));
    else {
      const factor = (cpu.tookSec / outcome.tookSec).toFixed(1);
      reasons.push(createMessage("model.providerSpeed", { provider, factor }));
      if (outcome.tookSec < best.tookSec) best = { provider: name, tookSec: outcome.tookSec };
    }
  }
  return { provider: best.provider, reasons };
}

/** What is known of a model after its provider failed in use, for a reason that the CPU does not share. */
export function withoutProvider(
  { provider = "cpu", providerReasons = [], ...measured }: ModelMeasurement,
  reason: SentMessage,
): ModelMeasurement {
  const name = providerName(provider);
  return {
    ...measured,
    providerReasons: [
      ...providerReasons.filter(({ params }) => params?.["provider"] !== name),
      createMessage("model.providerStopped", { provider: name, reason }),
    ],
  };
}

/** Why the model failed: with the CPU it works. */
function reasonOf(error: unknown): SentMessage {
  if (!(error instanceof AppError)) return { message: String(error) };
  const reason = error.sent.id === "model.doesNotWork" ? error.sent.params?.["reason"] : undefined;
  return typeof reason === "object" ? reason : error.sent;
}
