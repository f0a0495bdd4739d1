// A provider's response, whose body is read in chunks up to a limit.

import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { upstreamGatewaysHeader } from "../../contract/openai.ts";
import type { UpstreamErrors } from "../upstream-error.ts";
import type { RequestLifetime } from "./request-lifetime.ts";

/** A response with a success status. The caller must read it to the end or close it. */
export type UpstreamResponse = {
  /** Lower case, without parameters; empty if the header is missing. */
  contentType: string;
  /** If the provider is a Hearsay gateway: its name and those of the gateways behind it. */
  upstreamGateways: readonly string[];
  errors: UpstreamErrors;
  /**
   * The body in chunks. Leaving the loop ends the request.
   * @throws AppError if the response is truncated or larger than `maxBytes`
   */
  bytes(maxBytes: number): AsyncGenerator<Uint8Array, void, undefined>;
  /** Ends the request now, unless it has ended. */
  close(): void;
};

const maxErrorBytes = 64 * 1024;

export function toUpstreamResponse(
  { headers, body }: Dispatcher.ResponseData,
  errors: UpstreamErrors,
  lifetime: RequestLifetime,
): UpstreamResponse {
  lifetime.onEnd(() => body.destroy());
  const tooLarge = () => errors.invalidResponse("upstream.tooLarge");
  return {
    contentType: mediaType(headers),
    upstreamGateways: String(headers[upstreamGatewaysHeader] ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
    errors,
    async *bytes(maxBytes) {
      let sizeBytes = 0;
      try {
        if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          sizeBytes += chunk.length;
          if (sizeBytes > maxBytes) throw tooLarge();
          yield chunk;
        }
      } catch (error) {
        throw lifetime.signal.aborted ? lifetime.signal.reason : errors.fromException(error, true);
      } finally {
        lifetime.end();
      }
    },
    close: lifetime.end,
  };
}

const mediaType = (headers: IncomingHttpHeaders) =>
  String(headers["content-type"] ?? "")
    .split(";", 1)[0]!
    .trim()
    .toLowerCase();

/** Reads as much of an error body as arrives and is useful; the status already marks it as an error. */
export async function readErrorBody(upstreamResponse: UpstreamResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of upstreamResponse.bytes(maxErrorBytes)) parts.push(chunk);
  } catch {
    // If the body is too large or truncated, the status must suffice.
  }
  return Buffer.concat(parts).toString();
}
