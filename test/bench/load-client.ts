// Sends the same request repeatedly over keep-alive connections. Uses plain sockets, so that the client costs little.

import { connect } from "node:net";

export type LoadOptions = {
  port: number;
  path: string;
  headers: Record<string, string>;
  connections: number;
  ms: number;
  /** Body to POST, in base64; GET without one. */
  body?: string;
};
export type LoadResult = { requests: number; ms: number; bodyBytes: number };

process.on(
  "message",
  (message) => void load(message as LoadOptions).then((result) => process.send?.(result)),
);
process.on("disconnect", () => process.exit());

async function load({
  port,
  path,
  headers,
  connections,
  ms,
  body,
}: LoadOptions): Promise<LoadResult> {
  const postBody = Buffer.from(body ?? "", "base64");
  const length = body === undefined ? {} : { "content-length": String(postBody.length) };
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const header = `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
  const requestBytes = Buffer.concat([Buffer.from(header), postBody]);
  const start = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => repeatRequest(port, requestBytes, start + ms)),
  );
  const requests = counts.reduce((sum, { responseCount }) => sum + responseCount, 0);
  return { requests, ms: performance.now() - start, bodyBytes: counts[0]?.bodyBytes ?? 0 };
}

/**
 * Sends one request after the other until the time is over. @throws Error for a response other than 200 with a
 * content-length
 */
function repeatRequest(
  port: number,
  requestBytes: Buffer,
  endMs: number,
): Promise<{ responseCount: number; bodyBytes: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(requestBytes));
    socket.setNoDelay(true);
    let received = "";
    let responseCount = 0;
    let bodyBytes = 0;
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("data", (text: string) => {
      received += text;
      const headerEnd = received.indexOf("\r\n\r\n");
      if (headerEnd < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
      if (!received.startsWith("HTTP/1.1 200") || length === undefined) {
        reject(new Error(received.slice(0, 200)));
        socket.destroy();
        return;
      }
      bodyBytes = Number(length);
      if (received.length < headerEnd + 4 + bodyBytes) return;
      received = "";
      responseCount += 1;
      if (performance.now() < endMs) socket.write(requestBytes);
      else {
        socket.end();
        resolve({ responseCount, bodyBytes });
      }
    });
  });
}
