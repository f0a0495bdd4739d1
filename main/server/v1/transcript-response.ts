// A transcript as the answer to a request of /v1. A header tells in every format that something could not be transcribed.

import type { Transcript } from "../../contract/speech.ts";
import {
  plainTranscript,
  textTranscript,
  type TranscriptShape,
  verboseTranscript,
} from "../../transcript/transcript-formats.ts";
import { jsonResponse, textResponse } from "../http/sized-response.ts";

export function transcriptResponse(transcript: Transcript, options: TranscriptShape): Response {
  const headers = transcript.failed.length === 0 ? {} : { "x-hearsay-partial": "true" };
  if (options.format === "json") return jsonResponse(plainTranscript(transcript), headers);
  if (options.format === "verbose_json")
    return jsonResponse(verboseTranscript(transcript, options), headers);
  // Clients parse whatever is not declared as plain text.
  return textResponse(
    textTranscript(transcript, options.format),
    "text/plain; charset=utf-8",
    headers,
  );
}
