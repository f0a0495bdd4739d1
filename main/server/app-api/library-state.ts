// /app/library: health of the library's file, the notice about a damaged one, and archive import.

import type { LibraryImporter } from "../../library/archive/library-importer.ts";
import type { Library } from "../../library/recovery/open-library.ts";
import { archiveUploadRoute } from "./archive-upload.ts";
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
    rawRoutes: [
      archiveUploadRoute("/app/library/import", (path, { signal }) => importing.run(path, signal)),
    ],
  };
}
