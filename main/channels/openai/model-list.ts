// Which models a provider lists, and what each of them does: as the provider's own words say, else as its name does.

import { z } from "zod";
import type { ModelInfo } from "../../contract/speech.ts";
import type { UpstreamClient } from "./client.ts";
import { readJson } from "./json-body.ts";

/** A thousand models with long descriptions are half of that. */
const maxListBytes = 4 * 2 ** 20;
const listTimeMs = 15_000;

const listed = z.looseObject({
  id: z.string().min(1).max(200),
  created: z.int().min(0).catch(0),
  owned_by: z.string().max(200).catch(""),
});
const models = z
  .array(z.unknown())
  .transform((rows) => rows.flatMap((row) => listed.safeParse(row).data ?? []));
/** OpenAI's shape, and the same without its wrapping. */
const list = z.union([
  z.object({ data: models }).transform(({ data }) => data),
  z.object({ models }).transform((body) => body.models),
  models,
]);

/** `behind`: where the provider is a gateway of our kind, its name and those of the gateways behind it. */
export type ModelListing = { models: ModelInfo[]; behind: readonly string[] };

/** Rows that make no sense are left out. @throws AppError for every failure of the provider's */
export async function listModels(
  client: UpstreamClient,
  signal: AbortSignal,
): Promise<ModelListing> {
  const answer = await client.request({ path: "/models", totalMs: listTimeMs }, signal);
  const parsed = list.safeParse(await readJson(answer, maxListBytes));
  if (!parsed.success) throw answer.errors.broken("answered with JSON that is no list of models");
  const infos = parsed.data.map((model) => ({
    id: model.id,
    created: model.created,
    ownedBy: model.owned_by,
    kind: kindOf(model),
  }));
  return { models: infos, behind: answer.behind };
}

/** Whether an id fits one of the patterns, in which `*` stands for anything; without patterns all do. */
export function createModelFilter(patterns: readonly string[]): (id: string) => boolean {
  const wanted = patterns.map((pattern) => pattern.toLowerCase().split("*"));
  return (id) => wanted.length === 0 || wanted.some((parts) => fitsParts(id.toLowerCase(), parts));
}

/** The first part begins the id, the last one ends it, the others follow one another between. */
function fitsParts(id: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return id === first;
  let at = first.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return id.startsWith(first) && id.endsWith(last) && at + last.length <= id.length;
}

/** Where providers tell what a model does: Speaches, LocalAI, Hugging Face, Together, OpenRouter and their like. */
const tellingFields = [
  "task",
  "tasks",
  "type",
  "kind",
  "modality",
  "modalities",
  "capabilities",
  "pipeline_tag",
  "architecture",
  "supported_endpoints",
];

function kindOf(model: z.infer<typeof listed>): ModelInfo["kind"] {
  const said = tellingFields.map((field) => wordsIn(model[field])).join(" ");
  const hears =
    /speech[-_ ]?recognition|(speech|audio)[-_ ]?to[-_ ]?text|audio->text|transcri|\b(stt|asr)\b/i.test(
      said,
    );
  const speaks =
    /text[-_ ]?to[-_ ]?(speech|audio)|text->(audio|speech)|speech[-_ ]?synthesis|audio\/speech|\btts\b/i.test(
      said,
    );
  if (hears !== speaks) return hears ? "speech-to-text" : "text-to-speech";
  return kindByName(model.id);
}

/** The texts in a value, and the names of what is true in it. */
function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsIn).join(" ");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, inner]) => (inner === true ? name : wordsIn(inner)))
    .join(" ");
}

/** Families of models by name; a speaking one is asked for first, since `voxtral-tts` has a hearing namesake. */
export function kindByName(id: string): ModelInfo["kind"] {
  if (
    /tts\b|\btts|kokoro|orpheus|piper|hibari|\bbark\b|chatterbox|parler|kitten|zonos|cosyvoice|text-to-speech/i.test(
      id,
    )
  )
    return "text-to-speech";
  if (
    /whisper|transcri|\b(asr|stt)\b|parakeet|canary|moonshine|voxtral|wav2vec|sensevoice|paraformer|conformer|granite-speech|speech-to-text/i.test(
      id,
    )
  )
    return "speech-to-text";
  return "unknown";
}
