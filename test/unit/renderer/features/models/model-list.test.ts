import { expect, it } from "vitest";
import type { PublishedErrorRate } from "../../../../../main/contract/models.ts";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import { groupModels, sortModels } from "../../../../../renderer/features/models/model-list.ts";

const model = (id: string, rate?: Partial<PublishedErrorRate>): ListedModel => ({
  id,
  state: "available",
  kind: "speech-to-text",
  ownedBy: "",
  channel: "local",
  languages: ["zh"],
  errorRates:
    rate === undefined
      ? {}
      : { zh: { rate: 0.1, unit: "characters", testSet: "FLEURS", url: "", ...rate } },
});

it("sorts by accuracy within one test set and unit, and others after it", () => {
  const models = [
    model("unknown"),
    model("words", { rate: 0.04, unit: "words" }),
    model("other-set", { rate: 0.01, testSet: "Audiobooks" }),
    model("poor", { rate: 0.2 }),
    model("good", { rate: 0.05 }),
    model("fair", { rate: 0.1 }),
  ];
  expect(sortModels(groupModels(models), "accuracy", "zh").map(({ key }) => key)).toEqual([
    "good",
    "fair",
    "poor",
    "other-set",
    "unknown",
    "words",
  ]);
});
