// Entry of the child process that reads one untrusted document and exits. Its limits stop parsers that use too much
// time or memory.

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
