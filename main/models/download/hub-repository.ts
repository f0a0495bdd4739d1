// A repository of the model hub that is not in the catalog: its files with their checksums at one commit, its licence
// and languages, and what family they fit.

import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { languageNames } from "../../contract/languages.ts";
import type { CatalogEntry, ModelLicence } from "../../contract/models.ts";
import { recognizeFamily } from "../families.ts";
import { isSafeFileName, toRepositoryId } from "../file-names.ts";
import { type Endpoint, type RemoteFile, toUrlPath } from "./file-download.ts";
import type { HubClient, HubResponse } from "./hub-client.ts";
import { PassingError } from "./hub-errors.ts";

export type RepositoryOptions = {
  client: HubClient;
  endpoints: readonly Endpoint[];
  signal: AbortSignal;
};

/** `entry.files` is empty: the repository does not state the sha256 of small files. */
export type RepositoryModel = { entry: CatalogEntry; files: readonly RemoteFile[] };

const textOrList = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .catch(undefined);
const infoSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  createdAt: z.iso.datetime({ offset: true }).optional().catch(undefined),
  cardData: z
    .object({
      license: textOrList,
      license_name: z.string().optional().catch(undefined),
      license_link: z.string().optional().catch(undefined),
      language: textOrList,
    })
    .optional()
    .catch(undefined),
});
type RepositoryInfo = z.infer<typeof infoSchema>;

const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number().int().min(0).default(0),
    oid: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional()
      .catch(undefined),
    /** Files in large file storage. */
    lfs: z
      .object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number().int().min(0) })
      .optional(),
  }),
);
type TreeFile = z.infer<typeof treeSchema>[number];

/** Configurations and lists of tokens. */
const maxTextBytes = 16 * 2 ** 20;
const maxListBytes = 16 * 2 ** 20;
/** Of a thousand files each. */
const maxListPages = 10;

/** Licences that let everybody use, change and pass on the files, for any purpose. */
const freeLicencePattern =
  /^(mit|apache-2\.0|bsd|bsd-\d-clause.*|isc|unlicense|wtfpl|zlib|cc0-1\.0|cc-by-[34]\.0|cc-by-sa-[34]\.0|[al]?gpl(-[23].*)?|mpl-2\.0|cdla-permissive-\d\.0|artistic-2\.0|bsl-1\.0|ms-pl|eupl-1\.\d)$/i;

/** @param revision is resolved to a commit once @throws AppError; the signal's reason */
export async function readRepository(
  repository: string,
  revision: string,
  options: RepositoryOptions,
): Promise<RepositoryModel> {
  let firstError: unknown;
  for (const endpoint of options.endpoints) {
    try {
      return await readFrom(endpoint, repository, revision, options);
    } catch (error) {
      options.signal.throwIfAborted();
      firstError ??= error;
    }
  }
  throw firstError instanceof PassingError ? firstError.final : firstError;
}

async function readFrom(
  { baseUrl, token }: Endpoint,
  repository: string,
  revision: string,
  { client, signal }: RepositoryOptions,
): Promise<RepositoryModel> {
  const { host } = new URL(baseUrl);
  const get = (url: URL, file: string): Promise<HubResponse> =>
    client.get({ url, file, repository, revision, token }, signal);
  const apiUrl = `${baseUrl}/api/models/${repository}`;
  const unreadableError = (cause?: unknown): AppError =>
    new AppError("download.unreadable", { host }, { cause });
  const parse = <T>(schema: z.ZodType<T>, text: string): T => {
    try {
      return schema.parse(JSON.parse(text));
    } catch (error) {
      throw unreadableError(error);
    }
  };

  const readText = async (response: HubResponse, maxBytes: number): Promise<string> => {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const bytes of response.bytes()) {
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) throw unreadableError();
      chunks.push(bytes);
    }
    return Buffer.concat(chunks).toString("utf8");
  };

  async function readTree(commit: string): Promise<TreeFile[]> {
    const files: TreeFile[] = [];
    let url: URL | null = new URL(`${apiUrl}/tree/${commit}?recursive=true`);
    for (let page = 0; url !== null && page < maxListPages; page += 1) {
      const response: HubResponse = await get(url, "the list of files");
      files.push(...parse(treeSchema, await readText(response, maxListBytes)));
      const next = /<([^>]+)>\s*;\s*rel="next"/.exec(String(response.headers["link"] ?? ""))?.[1];
      url = next === undefined ? null : URL.parse(next, url);
      // Another host would get the token.
      if (url !== null && url.origin !== new URL(baseUrl).origin) throw unreadableError();
    }
    return files.filter(({ type, path }) => type === "file" && isSafeFileName(path));
  }

  const info = parse(
    infoSchema,
    await readText(
      await get(new URL(`${apiUrl}/revision/${encodeURIComponent(revision)}`), "the list of files"),
      maxListBytes,
    ),
  );
  const tree = await readTree(info.sha);
  const model = await recognizeFamily({
    name: repository,
    files: tree.map(({ path, size, lfs }) => ({ name: path, sizeBytes: lfs?.size ?? size })),
    readText: async (name) =>
      readText(
        await get(new URL(`${baseUrl}/${repository}/resolve/${info.sha}/${toUrlPath(name)}`), name),
        maxTextBytes,
      ),
  });
  if (model === undefined) throw new AppError("download.noFamily", { repository });
  if (model.missingRoles.length > 0)
    throw new AppError("download.incomplete", {
      repository,
      files: model.missingRoles.join(", "),
    });
  const { family, kind, capabilities, languages, fileNames } = model;
  return {
    entry: {
      id: toRepositoryId(repository),
      family,
      kind,
      name: repository,
      ownedBy: repository.slice(0, repository.indexOf("/")),
      licence: toLicence(info, `${baseUrl}/${repository}`),
      created: Math.floor(Date.parse(info.createdAt ?? "1970-01-01T00:00:00Z") / 1000),
      languages: (languages.length > 0 ? languages : statedLanguages(info)).map((code) => ({
        code,
      })),
      capabilities,
      ...model.entryFields,
      sources: [{ repository, revision: info.sha }],
      files: [],
    },
    files: tree
      .filter(({ path }) => fileNames.includes(path))
      .map(({ path, size, oid, lfs }) => ({
        name: path,
        sizeBytes: lfs?.size ?? size,
        ...(lfs === undefined ? { gitBlob: oid } : { sha256: lfs.oid }),
        locations: [{ repository, revision: info.sha, path }],
      })),
  };
}

const asList = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : [value].flat();

const statedLanguages = ({ cardData }: RepositoryInfo): string[] =>
  asList(cardData?.language)
    .map((language) => language.toLowerCase())
    .filter((code) => languageNames.has(code));

/** As it is in a manifest. */
const isWebAddress = (text: string): boolean => text.startsWith("https://") && URL.canParse(text);

/** A licence that is not stated has to be asked for. */
function toLicence({ cardData }: RepositoryInfo, repositoryUrl: string): ModelLicence {
  const name = asList(cardData?.license).join(", ");
  if (freeLicencePattern.test(name)) return { name, url: repositoryUrl };
  const link = cardData?.license_link;
  return {
    name: (name === "other" ? cardData?.license_name : name) || "not stated",
    url: link !== undefined && isWebAddress(link) ? link : repositoryUrl,
    mustBeAccepted: true,
  };
}
