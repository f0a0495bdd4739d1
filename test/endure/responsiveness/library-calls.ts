// Calls on the library: archives, and changes to many items at once.

import { openAsBlob } from "node:fs";
import type { Call, CallClient } from "./call-client.ts";

/** @param archivePath archive of a library with other items */
export function libraryCalls(client: CallClient, archivePath: string): Call[] {
  const { app, request, get, nextEdit, library } = client;
  const { bookId, generatedId, transcripts } = library;
  return [
    get("/app/library.zip", "/app/library.zip"),
    {
      name: "/app/library.zip, selection",
      async run() {
        const { selection } = await app("selectItems", { itemIds: transcripts });
        await request("GET", `/app/library.zip?selection=${selection}&format=docx`);
      },
    },
    {
      name: "/app/library/import",
      run: async () => request("POST", "/app/library/import", await openAsBlob(archivePath)),
    },
    {
      name: "changeItems",
      run: () =>
        app("changeItems", {
          changes: [bookId, ...transcripts].map((id) => ({ id, tags: [`tag ${nextEdit()}`] })),
        }),
    },
    {
      name: "removeItems",
      run: () => app("removeItems", { itemIds: [bookId, generatedId, ...transcripts] }),
    },
    {
      name: "restoreItems",
      run: () => app("restoreItems", { itemIds: [bookId, generatedId, ...transcripts] }),
    },
    { name: "removeItem", run: () => app("removeItem", undefined, client.draftId) },
  ];
}
