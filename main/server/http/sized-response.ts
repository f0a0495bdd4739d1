// Responses with a Content-Length.

export function textResponse(
  body: string,
  contentType: string,
  headers: Record<string, string> = {},
  status = 200,
): Response {
  return new Response(body, {
    status,
    headers: {
      "content-type": contentType,
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    },
  });
}

export const jsonResponse = (
  value: unknown,
  headers: Record<string, string> = {},
  status = 200,
): Response => textResponse(JSON.stringify(value), "application/json", headers, status);
