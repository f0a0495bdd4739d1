// Files of the built page, read once at the start, so that a rebuild does not change a running app. The build also
// writes compressed copies, as `.br` and `.gz`.

import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";

export interface PageFiles {
  /** The file of that path, or undefined; `index` is the page itself. */
  respond(pathname: string, request: Request): Response | undefined;
  index(request: Request): Response;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
  ".wasm": "application/wasm",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".txt": "text/plain; charset=utf-8",
};

/** Content coding → file extension, best first. */
const codings = { br: ".br", gzip: ".gz" } as const;

/** @throws AppError if the page was not built */
export async function readPageFiles(dir: string): Promise<PageFiles> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(dir.length).replaceAll("\\", "/"), await readFile(path));
  }
  if (!files.has("/index.html")) throw new AppError("window.notBuilt");

  function respond(pathname: string, { headers, method }: Request): Response | undefined {
    const type = contentTypes[extname(pathname)];
    const original = type === undefined ? undefined : files.get(pathname);
    if (type === undefined || original === undefined) return undefined;
    const accepted = (headers.get("accept-encoding") ?? "")
      .split(",")
      .map((coding) => coding.trim().split(";")[0]);
    const coding = (["br", "gzip"] as const).find(
      (each) => accepted.includes(each) && files.has(pathname + codings[each]),
    );
    const body = (coding && files.get(pathname + codings[coding])) ?? original;
    return new Response(method === "HEAD" ? null : body, {
      headers: {
        "content-type": type,
        "content-length": String(body.byteLength),
        vary: "accept-encoding",
        // Names in assets/ contain a content hash.
        "cache-control": pathname.startsWith("/assets/")
          ? "public, max-age=31536000, immutable"
          : "no-cache",
        ...(coding === undefined ? {} : { "content-encoding": coding }),
      },
    });
  }

  return { respond, index: (request) => respond("/index.html", request) as Response };
}
