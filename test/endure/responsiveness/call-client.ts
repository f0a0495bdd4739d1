// What all lists of calls share: requests to the app with its key, numbers that make every edit different, and the
// items they work on.

import type { HearsayProcess } from "../../support/hearsay-process.ts";
import type { LargeLibrary } from "./large-library.ts";

export type Call = { name: string; run(): Promise<unknown> };

type Body = string | Blob | Uint8Array<ArrayBuffer>;

export type CallClient = {
  app: HearsayProcess["app"];
  request(method: "GET" | "POST", path: string, body?: Body): Promise<Buffer>;
  post<Answer>(path: string, body?: Body): Promise<Answer>;
  /** A call that only reads this path. */
  get(name: string, path: string): Call;
  /** A number that no other edit got. */
  nextEdit(): number;
  readonly library: LargeLibrary;
  /** A narration created by one call and used by later ones; empty before. */
  draftId: string;
};

export function createCallClient(hearsay: HearsayProcess, library: LargeLibrary): CallClient {
  const origin = new URL(hearsay.baseUrl).origin;
  let edits = 0;

  async function request(method: "GET" | "POST", path: string, body?: Body): Promise<Buffer> {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${hearsay.key}` },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok)
      throw new Error(
        `${method} ${path} was answered ${response.status}: ${bytes.subarray(0, 500).toString()}`,
      );
    return bytes;
  }

  return {
    app: hearsay.app,
    request,
    post: async <Answer>(path: string, body?: Body) =>
      JSON.parse((await request("POST", path, body)).toString()) as Answer,
    get: (name, path) => ({ name, run: () => request("GET", path) }),
    nextEdit: () => (edits += 1),
    library,
    draftId: "",
  };
}
