// What a model can be wanted for. Pure.

import type { ListedModel } from "../../../main/contract/window-api.ts";

export const tasks = ["transcribe", "translate", "speak"] as const;
export type ModelTask = (typeof tasks)[number];

/** Languages that it transcribes, translates into English or speaks; undefined if it does not do that. */
export function languagesForTask(
  { kind, capabilities, languages }: ListedModel,
  task: ModelTask,
): readonly string[] | "any" | undefined {
  if (kind !== (task === "speak" ? "text-to-speech" : "speech-to-text")) return undefined;
  const isUnable = task === "translate" && capabilities?.translatesTo.includes("en") === false;
  return isUnable ? undefined : (languages ?? "any");
}
