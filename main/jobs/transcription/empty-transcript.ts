// The transcript of an item before anything is transcribed.

import type { DocumentOptions } from "../../contract/transcript-document.ts";
import type { DocumentHeader } from "../../library/transcript-rows.ts";

/** @param durationSec 0 if unknown */
export const emptyTranscript = (options: DocumentOptions, durationSec: number): DocumentHeader => ({
  durationSec,
  language: options.language ?? "",
  options,
  failed: [],
});
