// What families.ts is given and returns, and what its recognizers share.

import type {
  CatalogEntry,
  ModelCapabilities,
  ModelFamily,
  ModelKind,
} from "../../contract/models.ts";
import type { FileFinder } from "./file-finder.ts";

export type ModelFileSet = {
  /** Of the archive, folder or repository. Tells languages, and some families, that the files do not. */
  readonly name: string;
  /** Names relative to the model's folder, with slashes. */
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
  /** Called for small files only: configurations and lists of tokens. */
  readText(fileName: string): Promise<string>;
  /** Whether the file contains these ASCII bytes; omitted while its content is not at hand, as before a download. */
  contains?(fileName: string, text: string): Promise<boolean>;
};

export type RecognizedModel = {
  readonly family: ModelFamily;
  readonly kind: ModelKind;
  /** Role, such as `encoder`, → name of a file, or of a folder without the slash. */
  readonly roles: Readonly<Record<string, string>>;
  /** Roles that no file has: the model cannot run without them. */
  readonly missingRoles: readonly string[];
  /** All files to keep: those of the roles, their external data, and licences. */
  readonly fileNames: readonly string[];
  readonly capabilities: ModelCapabilities;
  /** Codes of contract/languages.ts; empty if unknown. */
  readonly languages: readonly string[];
  /** Further fields of its catalog entry, as far as family and files tell. */
  readonly entryFields?: Pick<CatalogEntry, "voices" | "batchMaxSec" | "singlePassMaxSec">;
};

/** Undefined if the files do not belong to one of the family's models. */
export type RecognizeFamily = (
  files: FileFinder,
  set: ModelFileSet,
) => Promise<Omit<RecognizedModel, "fileNames"> | undefined>;

/** The roles if all of them have a file. */
export function allPresent<Role extends string>(
  roles: Readonly<Record<Role, string | undefined>>,
): Record<Role, string> | undefined {
  return Object.values(roles).includes(undefined) ? undefined : (roles as Record<Role, string>);
}

/** Fields of a JSON file; none if it is no such file. */
export async function readFields(
  set: ModelFileSet,
  fileName: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const content: unknown = JSON.parse(await set.readText(fileName));
    return isFields(content) ? content : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
