// manifest.json: what a model's folder holds, written last, so that a folder without it is not an installed model.

import { z } from "zod";
import { AppError } from "../contract/errors.ts";
import { faultOf, fieldFault } from "../contract/field-fault.ts";
import { type CatalogEntry, modelFamilies, modelKinds, modelVoice } from "../contract/models.ts";
import { isReservedName, isSafeFileName } from "./file-names.ts";

export const manifestName = "manifest.json";

/** Of a manifest; files are far larger. */
export const maxManifestBytes = 2 ** 20;

/** Also a safe name of a folder on every system. */
const modelId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9._-]{0,198}[a-z0-9_])?$/i, fieldFault("fault.modelId"))
  .refine((id) => !isReservedName(id), fieldFault("fault.reservedName"));

/** A path below the model's folder, whose own files begin with a dot. */
const fileName = z
  .string()
  .refine(
    (name) => isSafeFileName(name) && !/(^|\/)\./.test(name) && name !== manifestName,
    fieldFault("fault.fileName"),
  );
const fileNamesOnce = (files: readonly { readonly name: string }[]): boolean =>
  new Set(files.map(({ name }) => name.toLowerCase())).size === files.length;

/** The window links to it. */
const webAddress = z.url({ protocol: /^https?$/, error: fieldFault("fault.webAddress") });

const language = z.object({
  code: z.string(),
  errorRate: z
    .object({
      rate: z.number().min(0),
      unit: z.enum(["words", "characters"]),
      testSet: z.string(),
      url: webAddress,
    })
    .exactOptional(),
});

const catalogEntry = z.object({
  id: modelId,
  family: z.enum(modelFamilies),
  kind: z.enum(modelKinds),
  name: z.string(),
  ownedBy: z.string(),
  licence: z.object({
    name: z.string(),
    url: webAddress.exactOptional(),
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
    .array(
      z.object({
        name: fileName,
        sizeBytes: z.int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1)
    .refine(fileNamesOnce, fieldFault("fault.namesTwice")),
  voices: z.array(modelVoice).exactOptional(),
  memoryBytes: z.number().positive().exactOptional(),
  batchMaxSec: z.number().positive().exactOptional(),
  singlePassMaxSec: z.number().positive().exactOptional(),
}) satisfies z.ZodType<CatalogEntry>;

const manifest = catalogEntry.extend({
  origin: z.enum(["downloaded", "imported"]),
  installedAt: z.number(),
});
export type Manifest = z.infer<typeof manifest>;

/** @throws SyntaxError or ZodError */
export const parseManifest = (text: string): Manifest => manifest.parse(JSON.parse(text));

/**
 * The manifest of a model that this app exported; undefined if it is another program's file of this name.
 * @throws AppError if it is one of ours with a faulty field
 */
export function parseExportedManifest(text: string): CatalogEntry | undefined {
  const content = parseJson(text);
  const isOurs = exportedManifest.safeParse(content).success;
  if (!isOurs) return undefined;
  const { data, error } = catalogEntry.safeParse(content);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new AppError("modelImport.manifest", {
    field: issue?.path.join(".") ?? "",
    fault: faultOf(issue),
  });
}

/** What all of ours have. */
const exportedManifest = z.object({
  family: z.unknown(),
  origin: z.unknown(),
  installedAt: z.unknown(),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws ZodError if the id or a file's name would lead out of the folder */
export const createManifest = (
  entry: CatalogEntry,
  installed: Pick<Manifest, "origin" | "installedAt">,
): Manifest => manifest.parse({ ...entry, ...installed });
