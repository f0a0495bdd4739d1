import { importScript } from "./main/jobs/document-import/import-script.ts";
import { readFileSync } from "node:fs";
const src = readFileSync("/work/shared/text/1961_john_f_kennedy_d.txt", "utf8")
  .replace(/\s+/g, " ")
  .trim()
  .split(" ");
for (const n of ["gap", "indent", "ragged"]) {
  const r = await importScript("x.pdf", readFileSync(`/tmp/pdf-${n}.pdf`));
  const got = r.script
    .split("\n\n")
    .filter((p) => !p.startsWith("#"))
    .join(" ")
    .split(/\s+/);
  const c = new Map<string, number>();
  for (const w of src) c.set(w, (c.get(w) ?? 0) + 1);
  for (const w of got) c.set(w, (c.get(w) ?? 0) - 1);
  console.log(
    n,
    src.length,
    got.length,
    r.script.split("\n\n").length,
    [...c]
      .filter(([, v]) => v !== 0)
      .map(([w, v]) => `${v}:${w}`)
      .join(" "),
  );
}
