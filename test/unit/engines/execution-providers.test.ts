import { expect, it } from "vitest";
import {
  bundledProviders,
  chooseProvider,
  type ProviderTrial,
} from "../../../main/engines/execution-providers.ts";

/** Provider → its trial; others fail. */
const trials =
  (outcomes: Readonly<Record<string, ProviderTrial>>) =>
  async (provider: string): Promise<ProviderTrial> => {
    const outcome = outcomes[provider];
    if (outcome === undefined) throw new Error("the driver crashed");
    return outcome;
  };

it("takes the fastest provider that gives the text of the CPU", async () => {
  const choice = await chooseProvider(
    ["webgpu", "dml", "coreml", "cuda"],
    trials({
      cpu: { text: "good morning", durationMs: 1000 },
      webgpu: { text: "good morning", durationMs: 500 },
      dml: { text: "good morning", durationMs: 400 },
      coreml: { text: "mmmmm", durationMs: 10 },
    }),
  );
  expect(choice).toEqual({
    provider: "dml",
    reasons: [
      "webgpu is 2.0 times as fast as the CPU",
      "dml is 2.5 times as fast as the CPU",
      "coreml gave another text than the CPU",
      "cuda failed: Error: the driver crashed",
    ],
  });
});

it("stays with the CPU for a small gain", async () => {
  const choice = await chooseProvider(
    ["webgpu"],
    trials({ cpu: { text: "hi", durationMs: 1000 }, webgpu: { text: "hi", durationMs: 900 } }),
  );
  expect(choice).toEqual({
    provider: "cpu",
    reasons: ["webgpu is 1.1 times as fast as the CPU"],
  });
});

it("fails if the CPU itself cannot run the model", async () => {
  await expect(chooseProvider([], trials({}))).rejects.toThrow("the driver crashed");
});

it("tries only providers that come with the library", () => {
  const backends = [
    { name: "cpu", bundled: true },
    { name: "webgpu", bundled: true },
    { name: "cuda", bundled: false },
  ];
  expect(bundledProviders(backends)).toEqual(["webgpu"]);
});
