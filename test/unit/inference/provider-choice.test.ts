import { expect, it } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import { chooseProvider, type ProviderTrial } from "../../../main/inference/provider-choice.ts";

/** Provider → its trial; others fail. */
const trials =
  (outcomes: Readonly<Record<string, ProviderTrial>>) =>
  async (provider: string): Promise<ProviderTrial> => {
    const outcome = outcomes[provider];
    if (outcome === undefined) throw new Error("the driver crashed");
    return outcome;
  };
const cpu = { text: "Good morning.", tookSec: 1, language: "en" };

it("takes the fastest provider that gives the words of the CPU, and says why not the others", async () => {
  const { provider, reasons } = await chooseProvider(
    cpu,
    ["webgpu", "dml", "coreml", "cuda"],
    trials({
      webgpu: { text: "good morning", tookSec: 0.5 },
      dml: { text: "good morning", tookSec: 0.4 },
      coreml: { text: "mmmmm", tookSec: 0.01 },
    }),
  );
  expect(provider).toBe("dml");
  expect(reasons.map(({ message }) => message)).toEqual([
    "WebGPU is 2.0 times as fast as the CPU.",
    "DirectML is 2.5 times as fast as the CPU.",
    "CoreML is not used: it gave another text than the CPU.",
    "CUDA is not used: it failed. Error: the driver crashed",
  ]);
});

it("stays with the CPU for a small gain", async () => {
  const choice = await chooseProvider(
    cpu,
    ["webgpu"],
    trials({ webgpu: { ...cpu, tookSec: 0.9 } }),
  );
  expect(choice.provider).toBe("cpu");
});

it("does not blame the model for a provider's failure", async () => {
  const reason = createMessage("engine.partFailed");
  const { reasons } = await chooseProvider(cpu, ["cuda"], () =>
    Promise.reject(new AppError("model.doesNotWork", { model: "whisper-base", reason })),
  );
  expect(reasons).toEqual([createMessage("model.providerFailed", { provider: "CUDA", reason })]);
});
