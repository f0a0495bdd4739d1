// Files that were dropped, pasted or selected anywhere in the window, until their page takes them.

import { create } from "zustand";
import { type FileKind, fileKind, kindsOfPage, type ReceivedFile } from "./accepted-files.ts";
import type { PageName } from "./route.ts";

export type IncomingFile = { readonly kind: FileKind; readonly file: ReceivedFile };

export const useIncoming = create<{ readonly files: readonly IncomingFile[] }>(() => ({
  files: [],
}));

/** What of the files a page takes, and what it does not. */
export function sortFiles(
  files: readonly ReceivedFile[],
  page: PageName,
): { accepted: readonly IncomingFile[]; refused: readonly ReceivedFile[] } {
  const accepted: IncomingFile[] = [];
  const refused: ReceivedFile[] = [];
  for (const file of files) {
    const kind = fileKind(file);
    if (kind !== undefined && kindsOfPage[page].includes(kind)) accepted.push({ kind, file });
    else refused.push(file);
  }
  return { accepted, refused };
}

export const addIncomingFiles = (added: readonly IncomingFile[]): void =>
  useIncoming.setState(({ files }) => ({ files: [...files, ...added] }));

/** Removes and returns the files of a kind. */
export function takeIncomingFiles(kind: FileKind): readonly ReceivedFile[] {
  const { files } = useIncoming.getState();
  const taken = files.filter((each) => each.kind === kind);
  if (taken.length > 0) useIncoming.setState({ files: files.filter((each) => each.kind !== kind) });
  return taken.map(({ file }) => file);
}
