// /app/library: health of the library's file, the notice about a damaged one, and archive import.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LibraryImporter } from "../../library/archive/library-importer.ts";
import type { Library } from "../../library/recovery/open-library.ts";
import { openForWriting } from "../../storage/disk.ts";
import { checkDiskSpace, createBodyReader } from "../http/request-body.ts";
import { jsonResponse } from "../http/sized-response.ts";
import type { RawRoute } from "./handlers.ts";
import type { AppApiRoutes } from "./handlers.ts";

export function libraryStateRoutes(
  { state, dismissNotices }: Pick<Library, "state" | "dismissNotices">,
  importing: LibraryImporter,
): AppApiRoutes {
  return {
    handlers: {
      readLibraryState: state,
      dismissLibraryNotice() {
        dismissNotices();
        return state();
      },
    },
    rawRoutes: [importArchiveRoute(importing)],
  };
}

const importArchiveRoute = (importing: LibraryImporter): RawRoute => ({
  method: "POST",
  path: "/app/library/import",
  async respond(request, _, { limits, deps }) {
    const folder = deps.tempDir();
    const path = join(folder, `archive-${randomUUID()}`);
    const body = createBodyReader(request, limits);
    try {
      await checkDiskSpace(body, folder);
      const file = await openForWriting(path, "wx", 0o600);
      try {
        for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next())
          await file.appendFile(bytes);
      } finally {
        await file.close();
      }
      return jsonResponse(await importing.run(path, request.signal), {
        "cache-control": "no-store",
      });
    } catch (error) {
      await body.drain();
      throw error;
    } finally {
      await rm(path, { force: true });
    }
  },
});
