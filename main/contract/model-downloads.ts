// Getting models: downloads, imports and exports, as the window and the command line see them. Same form as api.ts,
// which includes it. An archive is uploaded to POST /app/models/import, and downloaded from GET /app/models/:id/export.

import { z } from "zod";
import { providerKey } from "./channels.ts";
import { sentMessage } from "./messages/sent-message.ts";

/** `done` and `cancelled` are sent once, as events: the download is in no list anymore. */
export const downloadState = z.enum(["running", "paused", "failed", "done", "cancelled"]);

export const modelDownload = z.object({
  /** Of the model. */
  id: z.string(),
  name: z.string(),
  state: downloadState,
  doneBytes: z.number(),
  totalBytes: z.number(),
  /** Over the last seconds; omitted while nothing arrives. */
  bytesPerSec: z.number().optional(),
  remainingSec: z.number().optional(),
  /** What a running download waits for. */
  note: sentMessage.optional(),
  /** Why it failed, and what to do. */
  error: sentMessage.optional(),
});
export type ModelDownload = z.infer<typeof modelDownload>;

const repositoryHelp = "must be owner/name on the model hub, such as onnx-community/whisper-small";
/** `owner/name` on the model hub, which allows no `--`: ids of models are made with it. */
const repositoryName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[\w.-]{0,94}\w)?\/[A-Za-z0-9](?:[\w.-]{0,94}\w)?$/, repositoryHelp)
  .refine((name) => !/\.\.|--/.test(name), repositoryHelp);

/** Also of an address, as people copy it from the browser. */
export const toRepositoryName = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\/[^/]+\//, "")
    .split("/")
    .slice(0, 2)
    .join("/");

/** A branch, tag or commit. */
const revisionName = z
  .string()
  .regex(/^\w[\w./-]{0,99}$/)
  .refine((name) => !name.includes(".."));

const emptyObject = z.object({});
const acceptance = z.object({
  /** Of a licence that is not free: the person has read it. */
  acceptLicence: z.boolean().default(false),
});

export const repositoryDownload = acceptance.extend({
  repository: repositoryName,
  revision: revisionName.default("main"),
});

/** Where models come from, and whether there is an access token for it. The token itself is never sent. */
export const modelHub = z.object({
  host: z.string(),
  token: z.enum(["stored", "environment", "none"]),
});
export type ModelHub = z.infer<typeof modelHub>;

/** What an import has put on this machine. */
export const importedModel = z.object({ id: z.string(), name: z.string() });

/** Files and folders of an imported model: a release archive has sounds and scripts too. */
export const maxImportFiles = 5000;
/** How much of an archive tells its format. */
export const archiveStartBytes = 262;

/** Before an import, the app is sent texts of at most this size: a family may be recognized by them. */
export const maxPlannedTextBytes = 2 ** 20;

/** What is known of an import before it is sent. */
export const plannedImport = z.object({
  sizeBytes: z.number().nonnegative(),
  /** If the window packs them: paths with slashes. One too many is enough to refuse them. */
  files: z
    .array(
      z.object({
        // Each of its folders may be the model's.
        name: z.string().max(1000),
        sizeBytes: z.number().nonnegative(),
        text: z.string().optional(),
      }),
    )
    .max(maxImportFiles + 1)
    .optional(),
  /** The first bytes of an archive. */
  start: z.base64().optional(),
});
export type PlannedImport = z.infer<typeof plannedImport>;

export const modelImportPath = "/app/models/import";
export const modelExportPath = (id: string): string => `/app/models/${id}/export`;

/** Name → method, path, request, response. Progress comes as events. */
export const modelDownloadApi = {
  listDownloads: {
    method: "GET",
    path: "/app/models/downloads",
    request: emptyObject,
    response: z.object({ downloads: z.array(modelDownload) }),
  },
  /** Of the catalog. Also resumes; a download that runs is left as it is. */
  startDownload: {
    method: "POST",
    path: "/app/models/:id/download",
    request: acceptance,
    response: modelDownload,
  },
  /** Of any repository of the hub whose files fit a family. */
  downloadRepository: {
    method: "POST",
    path: "/app/models/download",
    request: repositoryDownload,
    response: modelDownload,
  },
  pauseDownload: {
    method: "POST",
    path: "/app/models/:id/download/pause",
    request: emptyObject,
    response: modelDownload,
  },
  resumeDownload: {
    method: "POST",
    path: "/app/models/:id/download/resume",
    request: emptyObject,
    response: modelDownload,
  },
  /** What has arrived is removed. */
  cancelDownload: {
    method: "DELETE",
    path: "/app/models/:id/download",
    request: emptyObject,
    response: z.object({ removed: z.boolean() }),
  },
  /** Refuses what could not be imported, before it is uploaded. Of several files, tells the ones that are needed. */
  checkModelImport: {
    method: "POST",
    path: `${modelImportPath}/check`,
    request: plannedImport,
    response: z.object({ fileNames: z.array(z.string()).optional() }),
  },
  readModelHub: {
    method: "GET",
    path: "/app/model-hub",
    request: emptyObject,
    response: modelHub,
  },
  /** null removes the stored token. */
  changeModelHub: {
    method: "PUT",
    path: "/app/model-hub",
    request: z.object({ token: providerKey.nullable() }),
    response: modelHub,
  },
} as const;
