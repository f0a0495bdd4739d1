// Asks a server the same thing again and again over kept connections. Works on plain sockets, so that the client
// is not what is measured.

import { connect } from "node:net";

export type LoadOrder = {
  port: number;
  path: string;
  headers: Record<string, string>;
  connections: number;
  ms: number;
  /** What is posted, in base64; default a GET. */
  body?: string;
};
export type LoadAnswer = { requests: number; ms: number; bodyBytes: number };

process.on(
  "message",
  (message) => void load(message as LoadOrder).then((answer) => process.send?.(answer)),
);
process.on("disconnect", () => process.exit());

async function load({
  port,
  path,
  headers,
  connections,
  ms,
  body,
}: LoadOrder): Promise<LoadAnswer> {
  const posted = Buffer.from(body ?? "", "base64");
  const length = body === undefined ? {} : { "content-length": String(posted.length) };
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
  const asking = Buffer.concat([Buffer.from(head), posted]);
  const start = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => keepAsking(port, asking, start + ms)),
  );
  const requests = counts.reduce((sum, { answers }) => sum + answers, 0);
  return { requests, ms: performance.now() - start, bodyBytes: counts[0]?.bodyBytes ?? 0 };
}

/** One request after the other until the time is over. @throws Error for anything but a 200 with a length */
function keepAsking(
  port: number,
  asking: Buffer,
  untilMs: number,
): Promise<{ answers: number; bodyBytes: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(asking));
    socket.setNoDelay(true);
    let received = "";
    let answers = 0;
    let bodyBytes = 0;
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("data", (text: string) => {
      received += text;
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
      if (!received.startsWith("HTTP/1.1 200") || length === undefined) {
        reject(new Error(received.slice(0, 200)));
        socket.destroy();
        return;
      }
      bodyBytes = Number(length);
      if (received.length < headEnd + 4 + bodyBytes) return;
      received = "";
      answers += 1;
      if (performance.now() < untilMs) socket.write(asking);
      else {
        socket.end();
        resolve({ answers, bodyBytes });
      }
    });
  });
}
