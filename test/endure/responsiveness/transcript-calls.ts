// Calls on transcripts, and searches of the library.

import { transcriptExports } from "../../../main/contract/transcript-export.ts";
import type { Call, CallClient } from "./call-client.ts";

export function transcriptCalls({ app, get, nextEdit, library }: CallClient): Call[] {
  const [first = "", second = ""] = library.transcripts;
  const search = (name: string, q: string) =>
    get(`search, ${name}`, `/app/search?q=${encodeURIComponent(q)}`);

  /** Changes all segments of a transcript at once, as naming a speaker does. */
  async function nameSpeakers(): Promise<void> {
    const { revision, segments } = await app("readDocument", undefined, first);
    const speaker = `Anna ${nextEdit()}`;
    await app(
      "changeDocument",
      {
        revision,
        put: segments.map((segment) => ({ ...segment, speaker })),
        remove: [],
      },
      first,
    );
  }

  return [
    { name: "readDocument", run: () => app("readDocument", undefined, first) },
    {
      name: "changeDocument",
      async run() {
        const { revision, segments } = await app("readDocument", undefined, first);
        await app(
          "changeDocument",
          {
            revision,
            put: segments
              .slice(0, 1)
              .map((segment) => ({ ...segment, text: `Edit ${nextEdit()}`, words: [] })),
            remove: [],
          },
          first,
        );
      },
    },
    { name: "changeDocument, all segments", run: nameSpeakers },
    ...transcriptExports.map((format) =>
      get(`export, ${format}`, `/app/items/${first}/export?format=${format}`),
    ),
    search("of a script", "quick fox"),
    search("of everything", "the"),
    search("of neighbours", "kettles harbour tides quick"),
    {
      name: "replace, preview",
      run: () =>
        app("replace", {
          find: "kettle",
          replaceBy: "pot",
          isCaseSensitive: false,
          isPreview: true,
          itemIds: [second],
        }),
    },
    {
      name: "replace",
      async run() {
        const [find, replaceBy] =
          nextEdit() % 2 === 0 ? ["kettle", "qettle"] : ["qettle", "kettle"];
        await app("replace", {
          find,
          replaceBy,
          isCaseSensitive: false,
          isPreview: false,
          itemIds: [second],
        });
        await app("replace", {
          find: replaceBy,
          replaceBy: find,
          isCaseSensitive: false,
          isPreview: false,
          itemIds: [second],
        });
      },
    },
  ];
}
