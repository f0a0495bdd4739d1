// Wires the folder whose new files are transcribed.

import type { FileImport } from "../jobs/transcription/file-import.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { createWatchFolder, type WatchFolder } from "../jobs/watch-folder/watch-folder.ts";
import { createWatchedFileStore } from "../jobs/watch-folder/watched-files.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredLibrary } from "./library.ts";

export function wireWatchFolder(
  { events, log, platform }: Foundation,
  { database, preferences, tasks }: WiredLibrary,
  { items }: Jobs,
  fileImport: FileImport,
): WatchFolder {
  return createWatchFolder({
    preferences: () => preferences.read().watch,
    dataDir: platform.dataDir,
    importFile: fileImport.add,
    findItem: items.find,
    exportTranscript: ({ id, title }, format, mediaName) =>
      tasks.exportTranscript(id, title, format, undefined, encodeURIComponent(mediaName)),
    store: createWatchedFileStore(database),
    onChange: () => events.publish({ type: "watch" }),
    log: log.child({ room: "jobs" }),
  });
}
