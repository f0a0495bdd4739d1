// /app/people: whose voices are remembered; and who the speakers of a transcript are.

import type { StoredPerson } from "../../contract/people.ts";
import type { RememberedVoices } from "../../jobs/transcription/remembered-voices.ts";
import type { People } from "../../library/people.ts";
import { attachmentHeader, safeFileName } from "../http/attachment.ts";
import { jsonResponse } from "../http/sized-response.ts";
import type { AppApiRoutes, RawRoute } from "./handlers.ts";

export type PeopleRouteDeps = {
  people: People;
  rememberedVoices: RememberedVoices;
  /** Removes the person from the library and from its copies. @returns whether they existed */
  forget(person: StoredPerson): Promise<boolean>;
};

export function peopleRoutes({ people, rememberedVoices, forget }: PeopleRouteDeps): AppApiRoutes {
  return {
    handlers: {
      listPeople: () => ({ people: people.list() }),
      rememberVoice: (fields, _, signal) => rememberedVoices.remember(fields, signal),
      renamePerson: ({ name }, id) => people.rename(id, name),
      removePerson: async (_, id) => ({ removed: await forget(people.export(id)) }),
      correctSpeaker: (fields, itemId, signal) =>
        rememberedVoices.correct({ ...fields, itemId }, signal),
      revertCorrection: ({ correctionId }, itemId) => ({
        isReverted: rememberedVoices.revert(itemId, correctionId),
      }),
    },
    rawRoutes: [exportRoute(people)],
  };
}

const exportRoute = (people: People): RawRoute => ({
  method: "GET",
  path: "/app/people/:id/export",
  respond(_, { id = "" }) {
    const person = people.export(id);
    return jsonResponse(person, {
      "cache-control": "no-store",
      ...attachmentHeader(`${safeFileName(person.name)}.json`),
    });
  },
});
