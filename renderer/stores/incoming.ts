// Files that were dropped, pasted or selected anywhere in the window, until their page takes them.

import { create } from "zustand";
import { isDocumentName } from "../../main/contract/documents.ts";

/** Audio to transcribe, or text to narrate. */
export type IncomingKind = "media" | "script";
type IncomingState = { readonly media: readonly File[]; readonly script: readonly File[] };

export const useIncoming = create<IncomingState>(() => ({ media: [], script: [] }));

/** By extension and type: whatever is not text may contain audio; the app will check. */
export const incomingKind = (file: Pick<File, "name" | "type">): IncomingKind =>
  isDocumentName(file.name) || file.type.startsWith("text/") ? "script" : "media";

/** @returns the kinds of the files */
export function addIncomingFiles(files: readonly File[]): ReadonlySet<IncomingKind> {
  useIncoming.setState(({ media, script }) => ({
    media: [...media, ...files.filter((file) => incomingKind(file) === "media")],
    script: [...script, ...files.filter((file) => incomingKind(file) === "script")],
  }));
  return new Set(files.map(incomingKind));
}

/** Removes and returns the files of a kind. */
export function takeIncomingFiles(kind: IncomingKind): readonly File[] {
  const files = useIncoming.getState()[kind];
  if (files.length > 0) useIncoming.setState({ [kind]: [] });
  return files;
}
