// JSON to and from a provider, as a whole and within a size limit.

import type { UpstreamBody } from "./client.ts";
import type { UpstreamResponse } from "./response.ts";

export function jsonBody(value: unknown): UpstreamBody {
  const bytes = Buffer.from(JSON.stringify(value));
  return { contentType: "application/json", sizeBytes: bytes.length, open: () => bytes };
}

/** @throws AppError if the response is no JSON, truncated, or larger than `maxBytes` */
export async function readJson(response: UpstreamResponse, maxBytes: number): Promise<unknown> {
  const { contentType, errors } = response;
  try {
    if (!isJson(contentType)) throw errors.invalidResponse("upstream.notJson", { contentType });
    const parts: Uint8Array[] = [];
    for await (const chunk of response.bytes(maxBytes)) parts.push(chunk);
    const text = Buffer.concat(parts).toString();
    try {
      return JSON.parse(text);
    } catch {
      throw errors.invalidResponse("upstream.brokenJson");
    }
  } finally {
    response.close();
  }
}

/** Without a content type, parsing decides. */
const isJson = (contentType: string) =>
  contentType === "" || /^application\/(.+\+)?json$/.test(contentType);
