// manifest.json: what a model's folder holds, written last, so that a folder without it is not an installed model.

import { z } from "zod";
import { type CatalogEntry, modelFamilies } from "../contract/models.ts";

export const manifestName = "manifest.json";

/** Also a safe name of a folder on every system. */
const modelId = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,118}[a-z0-9])?$/i);

/** A path below the model's folder. */
const fileName = z
  .string()
  .max(300)
  .regex(/^[^\\:]+$/)
  .refine((name) => name.split("/").every((part) => part !== "" && part !== "." && part !== ".."));
const language = z.object({
  code: z.string(),
  errorRate: z
    .object({
      rate: z.number().min(0),
      unit: z.enum(["words", "characters"]),
      testSet: z.string(),
      url: z.string(),
    })
    .exactOptional(),
});

const catalogEntry = z.object({
  id: modelId,
  family: z.enum(modelFamilies),
  kind: z.enum(["speech-to-text", "text-to-speech", "voice-activity"]),
  name: z.string(),
  ownedBy: z.string(),
  licence: z.object({
    name: z.string(),
    url: z.string().exactOptional(),
    mustBeAccepted: z.boolean().exactOptional(),
  }),
  created: z.number(),
  languages: z.array(language),
  capabilities: z.object({
    wordTimes: z.boolean(),
    languageDetection: z.boolean(),
    prompt: z.boolean(),
    streaming: z.boolean(),
    translatesTo: z.array(z.string()),
  }),
  sources: z.array(
    z.object({
      repository: z.string(),
      revision: z.string(),
      paths: z.record(z.string(), z.string()).exactOptional(),
    }),
  ),
  files: z
    .array(z.object({ name: fileName, sizeBytes: z.int().min(0), sha256: z.string().length(64) }))
    .min(1),
  voices: z
    .array(
      z.object({ id: z.string(), name: z.string(), character: z.string(), language: z.string() }),
    )
    .exactOptional(),
  memoryBytes: z.number().exactOptional(),
  batchMaxSec: z.number().exactOptional(),
  singlePassMaxSec: z.number().exactOptional(),
}) satisfies z.ZodType<CatalogEntry>;

const manifest = catalogEntry.extend({
  origin: z.enum(["downloaded", "imported"]),
  installedAt: z.number(),
});
export type Manifest = z.infer<typeof manifest>;

/** @throws SyntaxError or ZodError */
export const parseManifest = (text: string): Manifest => manifest.parse(JSON.parse(text));

/** @throws ZodError if the id or a file's name would lead out of the folder */
export const createManifest = (
  entry: CatalogEntry,
  installed: Pick<Manifest, "origin" | "installedAt">,
): Manifest => manifest.parse({ ...entry, ...installed });
