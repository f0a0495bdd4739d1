// Lists a provider's models and their kind: from the provider's metadata, else from the model's name.

import { z } from "zod";
import type { ModelInfo } from "../../contract/models.ts";
import type { UpstreamClient } from "./client.ts";
import { readJson } from "./json-body.ts";

/** A thousand models with long descriptions take half of that. */
const maxListBytes = 4 * 2 ** 20;
const listTimeoutMs = 15_000;

const modelRow = z.looseObject({
  id: z.string().min(1).max(200),
  created: z.int().min(0).catch(0),
  owned_by: z.string().max(200).catch(""),
});
const models = z
  .array(z.unknown())
  .transform((rows) => rows.flatMap((row) => modelRow.safeParse(row).data ?? []));
/** OpenAI's shape, and the same without its envelope. */
const modelListSchema = z.union([
  z.object({ data: models }).transform(({ data }) => data),
  z.object({ models }).transform((body) => body.models),
  models,
]);

/** `upstreamGateways`: if the provider is a Hearsay gateway, its name and those of the gateways behind it. */
export type ModelListing = { models: readonly ModelInfo[]; upstreamGateways: readonly string[] };

/** Skips invalid rows. @throws AppError for every failure of the provider */
export async function listModels(
  client: UpstreamClient,
  signal: AbortSignal,
): Promise<ModelListing> {
  const response = await client.request({ path: "/models", totalMs: listTimeoutMs }, signal);
  const parsed = modelListSchema.safeParse(await readJson(response, maxListBytes));
  if (!parsed.success) throw response.errors.invalidResponse("upstream.noModelList");
  const infos = parsed.data.map((model) => ({
    id: model.id,
    created: model.created,
    ownedBy: model.owned_by,
    kind: detectKind(model),
  }));
  return { models: infos, upstreamGateways: response.upstreamGateways };
}

/** Whether an id matches one of the patterns, in which `*` matches anything; without patterns every id matches. */
export function createModelFilter(patterns: readonly string[]): (id: string) => boolean {
  const patternParts = patterns.map((pattern) => pattern.toLowerCase().split("*"));
  return (id) =>
    patternParts.length === 0 ||
    patternParts.some((parts) => matchesParts(id.toLowerCase(), parts));
}

/** The first part must be at the start, the last at the end, the others in order between them. */
function matchesParts(id: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return id === first;
  let offset = first.length;
  for (const part of rest) {
    const position = id.indexOf(part, offset);
    if (position < 0) return false;
    offset = position + part.length;
  }
  return id.startsWith(first) && id.endsWith(last) && offset + last.length <= id.length;
}

/** Metadata fields of Speaches, LocalAI, Hugging Face, Together, OpenRouter and similar servers. */
const capabilityFields = [
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

function detectKind(model: z.infer<typeof modelRow>): ModelInfo["kind"] {
  const capabilities = capabilityFields.map((field) => collectWords(model[field])).join(" ");
  const isTranscription =
    /speech[-_ ]?recognition|(speech|audio)[-_ ]?to[-_ ]?text|audio->text|transcri|\b(stt|asr)\b/i.test(
      capabilities,
    );
  const isSpeech =
    /text[-_ ]?to[-_ ]?(speech|audio)|text->(audio|speech)|speech[-_ ]?synthesis|audio\/speech|\btts\b/i.test(
      capabilities,
    );
  if (isTranscription !== isSpeech) return isTranscription ? "speech-to-text" : "text-to-speech";
  return kindByName(model.id);
}

/** All strings in a value, and the names of its fields that are true. */
function collectWords(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(collectWords).join(" ");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, inner]) => (inner === true ? name : collectWords(inner)))
    .join(" ");
}

const synthesisModels = [
  /tts\b|\btts|text-to-speech/i,
  /kokoro|orpheus|piper|hibari|\bbark\b|chatterbox|parler|kitten|zonos|cosyvoice/i,
];
const transcriptionModels = [
  /transcri|\b(asr|stt)\b|speech-to-text/i,
  /whisper|parakeet|canary|moonshine|voxtral|wav2vec|sensevoice|paraformer|conformer|granite-speech/i,
];

/**
 * Known model families. Text to speech is checked first, since the name of `voxtral-tts` also matches a transcription
 * model.
 */
export function kindByName(id: string): ModelInfo["kind"] {
  if (synthesisModels.some((pattern) => pattern.test(id))) return "text-to-speech";
  if (transcriptionModels.some((pattern) => pattern.test(id))) return "speech-to-text";
  return "unknown";
}
