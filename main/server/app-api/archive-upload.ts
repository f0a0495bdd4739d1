// Receives an archive that is uploaded as the request's body: it is stored as a temporary file while it is imported.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openForWriting } from "../../storage/disk.ts";
import { checkDiskSpace, createBodyReader } from "../http/request-body.ts";
import { jsonResponse } from "../http/sized-response.ts";
import type { RawRoute } from "./handlers.ts";

/** @param importFile its result is the response */
export const archiveUploadRoute = (
  path: string,
  importFile: (archivePath: string, request: Request) => Promise<object>,
): RawRoute => ({
  method: "POST",
  path,
  async respond(request, _, { limits, deps }) {
    const folder = deps.tempDir();
    const archivePath = join(folder, `archive-${randomUUID()}`);
    const body = createBodyReader(request, limits);
    try {
      await checkDiskSpace(body, folder);
      const file = await openForWriting(archivePath, "wx", 0o600);
      try {
        for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next())
          await file.appendFile(bytes);
      } finally {
        await file.close();
      }
      const result = await importFile(archivePath, request);
      return jsonResponse(result, { "cache-control": "no-store" });
    } catch (error) {
      await body.drain();
      throw error;
    } finally {
      await rm(archivePath, { force: true });
    }
  },
});
