// /app/items/:id/notes: markers and notes at times of a recording.

import type { Documents } from "../../library/documents.ts";
import type { AppApiRoutes } from "./handlers.ts";

export const noteRoutes = (documents: Pick<Documents, "changeNotes">): AppApiRoutes => ({
  handlers: {
    changeNotes: (change, itemId) => ({ notes: documents.changeNotes(itemId, change) }),
  },
  rawRoutes: [],
});
