// JSON to a provider and from it: whole, and therefore of a size that cannot hurt.

import type { UpstreamResponse, UpstreamBody } from "./client.ts";

export function jsonBody(value: unknown): UpstreamBody {
  const bytes = Buffer.from(JSON.stringify(value));
  return { contentType: "application/json", sizeBytes: bytes.length, open: () => bytes };
}

/** @throws AppError where the answer is no JSON, is cut off, or is larger than `maxBytes` */
export async function readJson(response: UpstreamResponse, maxBytes: number): Promise<unknown> {
  const { contentType, errors } = response;
  try {
    if (!isJson(contentType))
      throw errors.invalidResponse(`answered with ${contentType}, not with JSON`);
    const parts: Uint8Array[] = [];
    for await (const chunk of response.bytes(maxBytes)) parts.push(chunk);
    const text = Buffer.concat(parts).toString();
    try {
      return JSON.parse(text);
    } catch {
      throw errors.invalidResponse("answered with broken JSON");
    }
  } finally {
    response.close();
  }
}

/** Without a content type, the content itself decides. */
const isJson = (contentType: string) =>
  contentType === "" || /^application\/(.+\+)?json$/.test(contentType);
