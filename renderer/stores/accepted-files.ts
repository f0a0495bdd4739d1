// Which files the window takes where they are dropped, pasted or chosen. The drop area, the file dialogs and the
// refusals read these tables.

import { documentExtensions } from "../../main/contract/documents.ts";
import { mediaExtensions } from "../../main/contract/media-files.ts";
import type { PageName } from "./route.ts";

/** Audio to transcribe, text to narrate, an archive of the library, a model to import. */
export type FileKind = "media" | "script" | "archive" | "model";

/** A folder that was dropped comes as a file, too, which has no content. */
export type ReceivedFile = File & { readonly folder?: FileSystemEntry };

type AcceptedFiles = {
  /** As browsers report them; `audio/*` stands for all of a kind. */
  readonly mimeTypes: readonly string[];
  /** Lower case, without the dot. They decide; types only tell about other names. */
  readonly extensions: readonly string[];
};

export const acceptedFiles: Readonly<Record<FileKind, AcceptedFiles>> = {
  media: {
    mimeTypes: ["audio/*", "video/*"],
    // Of types that browsers or systems may not know.
    extensions: mediaExtensions,
  },
  script: {
    mimeTypes: [
      "text/plain",
      "text/markdown",
      "text/vtt",
      "application/epub+zip",
      "application/pdf",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    extensions: documentExtensions,
  },
  archive: { mimeTypes: ["application/zip", "application/x-zip-compressed"], extensions: ["zip"] },
  // Release archives; a zip is taken by the Models page only.
  model: { mimeTypes: [], extensions: ["tar", "gz", "tgz", "bz2", "tbz2"] },
};

export const fileKinds = Object.keys(acceptedFiles) as readonly FileKind[];

/** The page that handles a kind. */
export const pageOfKind = {
  media: "transcribe",
  script: "narrate",
  archive: "library",
  model: "models",
} as const satisfies Record<FileKind, PageName>;

const everywhere: readonly FileKind[] = ["media", "script", "model"];

/** What a page takes; pages without files of their own pass them on to the page that handles them. */
export const kindsOfPage: Readonly<Record<PageName, readonly FileKind[]>> = {
  transcribe: ["media"],
  narrate: ["script"],
  library: ["media", "script", "archive"],
  models: everywhere,
  channels: everywhere,
  server: everywhere,
  settings: everywhere,
  welcome: everywhere,
};

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

const matchesType = (pattern: string, type: string): boolean =>
  pattern.endsWith("/*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;

/** Undefined for a file that no page takes, such as a picture. */
export function fileKind({
  name,
  type,
  folder,
}: Pick<ReceivedFile, "name" | "type" | "folder">): FileKind | undefined {
  if (folder !== undefined) return "model";
  const extension = extensionOf(name);
  return (
    fileKinds.find((kind) => acceptedFiles[kind].extensions.includes(extension)) ??
    fileKinds.find((kind) =>
      acceptedFiles[kind].mimeTypes.some((pattern) => matchesType(pattern, type)),
    )
  );
}

/** For the `accept` attribute of a file dialog. */
export const acceptAttribute = (kind: FileKind): string =>
  [
    ...acceptedFiles[kind].mimeTypes,
    ...acceptedFiles[kind].extensions.map((extension) => `.${extension}`),
  ].join();
