import { importScript } from "./main/jobs/document-import/import-script.ts";
import { readFileSync } from "node:fs";
for (const f of process.argv.slice(2)) {
  const t = performance.now();
  const r = await importScript(f.split("/").pop()!, readFileSync(f));
  console.log(
    f,
    (performance.now() - t) | 0,
    "ms",
    r.title,
    "|",
    r.author,
    JSON.stringify(r.chapters?.slice(0, 4)),
    r.script.split("\n\n").length,
  );
  console.log(r.script.slice(0, 2500));
}
