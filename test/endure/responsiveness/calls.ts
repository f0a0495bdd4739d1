// All requests of the window that need no provider, on the items of large-library.ts.

import { commandLinePath } from "../../../main/contract/command-line-api.ts";
import { api, type ApiName } from "../../../main/contract/api.ts";
import type { HearsayProcess } from "../../support/hearsay-process.ts";
import { audioCalls } from "./audio-calls.ts";
import { type Call, createCallClient } from "./call-client.ts";
import type { LargeLibrary } from "./large-library.ts";
import { libraryCalls } from "./library-calls.ts";
import { narrationCalls, scriptCalls } from "./narration-calls.ts";
import { transcriptCalls } from "./transcript-calls.ts";

export type CallContext = {
  library: LargeLibrary;
  /** Archive of a library with other items. */
  archivePath: string;
  /** Duration of the uploaded audio. */
  soundSec: number;
  random(): number;
};

/** In the order in which they have to run: some create the items of later ones. */
export function createCalls(
  hearsay: HearsayProcess,
  { library, archivePath, soundSec, random }: CallContext,
): Call[] {
  const client = createCallClient(hearsay, library);
  const readCalls = (Object.keys(api) as ApiName[]).filter(
    (name) =>
      api[name].method === "GET" &&
      !api[name].path.includes(":") &&
      !api[name].path.startsWith(commandLinePath) &&
      name !== "search",
  );
  return [
    ...readCalls.map((name) => ({ name, run: () => hearsay.app(name) })),
    ...scriptCalls(client, random),
    ...narrationCalls(client),
    ...transcriptCalls(client),
    ...audioCalls(client, soundSec),
    ...libraryCalls(client, archivePath),
  ];
}
