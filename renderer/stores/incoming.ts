// Files that were dropped, pasted or picked anywhere on the window, until the page they belong to takes them.

import { create } from "zustand";

/** Sound to be heard, or text to be read out. */
export type IncomingKind = "media" | "script";
type IncomingState = { readonly media: readonly File[]; readonly script: readonly File[] };

const scriptNames = /\.(txt|md|markdown|srt|vtt|epub)$/i;

export const useIncoming = create<IncomingState>(() => ({ media: [], script: [] }));

/** By the name's ending: everything that is no text may hold sound; whether it does is found out by the app. */
export const incomingKind = (file: Pick<File, "name" | "type">): IncomingKind =>
  scriptNames.test(file.name) || file.type.startsWith("text/") ? "script" : "media";

/** Hands files in; answers which kinds came. */
export function addIncomingFiles(files: readonly File[]): ReadonlySet<IncomingKind> {
  useIncoming.setState(({ media, script }) => ({
    media: [...media, ...files.filter((file) => incomingKind(file) === "media")],
    script: [...script, ...files.filter((file) => incomingKind(file) === "script")],
  }));
  return new Set(files.map(incomingKind));
}

/** Takes the files of a kind out: they are the caller's now. */
export function takeIncomingFiles(kind: IncomingKind): readonly File[] {
  const files = useIncoming.getState()[kind];
  if (files.length > 0) useIncoming.setState({ [kind]: [] });
  return files;
}
