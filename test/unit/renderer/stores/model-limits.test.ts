import { expect, it } from "vitest";
import type { ListedModel } from "../../../../main/contract/window-api.ts";
import { modelLimits } from "../../../../renderer/stores/model-limits.ts";

const listed = (id: string, more: Partial<ListedModel> = {}): ListedModel => ({
  id,
  state: "ready",
  kind: "speech-to-text",
  ownedBy: "somebody",
  channel: "local",
  ...more,
});
const capabilities = {
  wordTimes: true,
  languageDetection: true,
  prompt: false,
  streaming: false,
  translatesTo: [] as string[],
};
const models = [
  listed("whisper-1"),
  listed("parakeet", { capabilities, languages: ["en", "de"] }),
  listed("whisper", {
    capabilities: { ...capabilities, prompt: true, translatesTo: ["en"] },
    languages: ["en", "vi"],
  }),
];

it("reports what a model cannot do", () => {
  const limits = modelLimits(models, "parakeet");
  expect(limits).toMatchObject({ cannotTranslate: true, takesNoPrompt: true });
  expect(["de", "vi"].map(limits.knowsLanguage)).toEqual([true, false]);
  const able = modelLimits(models, "whisper");
  expect(able).toMatchObject({ cannotTranslate: false, takesNoPrompt: false });
  expect(["de", "vi"].map(able.knowsLanguage)).toEqual([false, true]);
});

it.each(["whisper-1", "gone"])("limits nothing where nothing is known: %s", (id) => {
  const limits = modelLimits(models, id);
  expect(limits).toMatchObject({ cannotTranslate: false, takesNoPrompt: false });
  expect(limits.knowsLanguage("vi")).toBe(true);
});
