// The module of the process that reads one document and ends. The document is untrusted: whatever it makes the
// parsers do ends with this process, at the latest by the limits of its task.

import { readFile } from "node:fs/promises";
import { serveTask } from "../../processes/serve-task.ts";
import { writeFile } from "../../storage/disk.ts";
import type { DocumentTask } from "./document-import.ts";
import { importScript } from "./import-script.ts";

serveTask<DocumentTask>(async ({ name, inputPath, outputPath }) => {
  await writeFile(outputPath, JSON.stringify(await importScript(name, await readFile(inputPath))), {
    mode: 0o600,
    flag: "wx",
  });
});
