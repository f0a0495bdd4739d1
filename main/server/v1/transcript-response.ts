// A transcript as response of /v1. For every format, a header marks failed ranges.

import type { Transcript } from "../../contract/speech.ts";
import {
  toDiarizedResponse,
  toTranscriptionResponse,
  toTranscriptText,
  type TranscriptResponseOptions,
  toVerboseResponse,
} from "../../transcript/transcript-formats.ts";
import { jsonResponse, textResponse } from "../http/sized-response.ts";

export function transcriptResponse(
  transcript: Transcript,
  options: TranscriptResponseOptions,
): Response {
  const headers = transcript.failed.length === 0 ? {} : { "x-hearsay-partial": "true" };
  if (options.format === "json") return jsonResponse(toTranscriptionResponse(transcript), headers);
  if (options.format === "verbose_json")
    return jsonResponse(toVerboseResponse(transcript, options), headers);
  if (options.format === "diarized_json")
    return jsonResponse(toDiarizedResponse(transcript), headers);
  // Clients parse everything that is not declared as plain text.
  return textResponse(
    toTranscriptText(transcript, options.format),
    "text/plain; charset=utf-8",
    headers,
  );
}
