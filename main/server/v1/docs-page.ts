// The page at /docs: endpoints, fields, examples, errors. One file without external assets; light or dark like the
// system. Its content comes from the OpenAPI document and the error table.

import { errorTable } from "../../contract/error-table.ts";
import { realtimePath } from "../../contract/realtime.ts";
import { realtimeDocs, realtimeExample } from "./realtime/realtime-docs.ts";
import type { JsonSchema, OpenApiDocument, Operation } from "./openapi.ts";

/** `origin` is the address that the browser used, so that pasted examples work. */
export function docsPage({ info, paths }: OpenApiDocument, origin: string): string {
  const operations = Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(post === undefined ? [] : [toSectionHtml("POST", path, post, origin)]),
    ...(get === undefined ? [] : [toSectionHtml("GET", path, get, origin)]),
  ]);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API</title>
<style>${stylesheet}</style>
<main>
<h1>${escapeHtml(info.title)} API</h1>
<p>${escapeHtml(info.description)} Version ${escapeHtml(info.version)}; machine-readable:
<a href="/openapi.json">/openapi.json</a>.</p>
<p>Base URL: <code>${escapeHtml(origin)}/v1</code>. Every request to it carries the header
<code>Authorization: Bearer &lt;API key&gt;</code>.</p>
${operations.join("\n")}
${toRealtimeHtml(origin)}
${homeAssistantHtml}
<section>
<h2>Errors</h2>
<p>Errors have the form <code>{"error": {"message", "type", "param", "code"}}</code>; <code>param</code> names the
invalid field or is null, <code>code</code> is omitted if there is none. Every response has an
<code>x-request-id</code> header.</p>
${toErrorsHtml()}
</section>
</main>
</html>
`;
}

function toRealtimeHtml(origin: string): string {
  const { summary, description, sent, received } = realtimeDocs;
  const toTable = (head: string, rows: readonly (readonly string[])[]) =>
    toTableHtml(
      [head, "Meaning"],
      rows.map((row) => row.map(toProseHtml)),
    );
  return `<section id="realtime">
<h2>${summary}</h2>
<p class="address"><b>GET</b> <code>${realtimePath}?intent=transcription</code> <span>WebSocket</span></p>
<p>${toProseHtml(description)}</p>
${toTable("You send", sent)}
${toTable("You receive", received)}
<pre tabindex="0"><code>${escapeHtml(realtimeExample(origin))}</code></pre>
</section>`;
}

const homeAssistantHtml = `<section id="wyoming">
<h2>Home Assistant</h2>
<p>Started with <code>HEARSAY_WYOMING_PORT=10300</code>, Hearsay also serves the
<a href="https://github.com/OHF-Voice/wyoming">Wyoming protocol</a> on that port: <code>describe</code>, <code>ping</code>,
<code>transcribe</code> with 16-bit audio of 8 to 96 kHz, answered by <code>transcript</code> and its stream, and
<code>synthesize</code>, at once or in a stream, answered by audio of 24 kHz while it is generated. After an
<code>error</code> event the connection ends.</p>
<p>The protocol has no keys. It is served to this machine only unless <code>HEARSAY_WYOMING_HOST</code> says otherwise
(<code>0.0.0.0</code>: every device that reaches this machine, announced by zeroconf), and with this machine's models
only, never with those of other channels. Usage counts it as <code>wyoming</code>.</p>
</section>`;

function toErrorsHtml(): string {
  const rows = Object.entries(errorTable).sort(([, a], [, b]) => a.status - b.status);
  return toTableHtml(
    ["Status", "When", "Type", "Code"],
    rows.map(([key, row]) => [
      String(row.status),
      escapeHtml(key.replaceAll("_", " ")),
      toCodeHtml(row.type),
      "code" in row ? toCodeHtml(row.code) : "",
    ]),
  );
}

function toSectionHtml(method: string, path: string, operation: Operation, origin: string): string {
  const [kind, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const fields = body === undefined ? "" : fieldTable(body.schema);
  return `<section id="${operation.operationId}">
<h2>${escapeHtml(operation.summary)}</h2>
<p class="address"><b>${method}</b> <code>/v1${escapeHtml(path)}</code>
${kind === undefined ? "" : `<span>${escapeHtml(kind)}</span>`}</p>
${operation.description === undefined ? "" : `<p>${toProseHtml(operation.description)}</p>`}
${fields}
<pre tabindex="0"><code>${escapeHtml(curlExample(path, origin))}</code></pre>
</section>`;
}

function fieldTable({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([name, field]) => [
    `${toCodeHtml(name)}${required.includes(name) ? " <em>required</em>" : ""}`,
    toProseHtml([field.description ?? "", describeBounds(field)].filter(Boolean).join(" ")),
  ]);
  return toTableHtml(["Field", "Meaning"], rows);
}

function describeBounds(field: JsonSchema): string {
  const choices = (
    field.items?.enum ??
    field.enum ??
    field.anyOf?.flatMap((one) => one.enum ?? []) ??
    []
  ).map((one) => `\`${one}\``);
  const range = [field, ...(field.anyOf ?? [])].find(
    ({ minimum, maximum }) => minimum !== undefined && maximum !== undefined,
  );
  return [
    choices.length > 0 ? `One of ${choices.join(", ")}.` : "",
    range === undefined ? "" : `From ${range.minimum} to ${range.maximum}.`,
    field.maxLength === undefined ? "" : `At most ${field.maxLength} characters.`,
    field.default === undefined || Array.isArray(field.default)
      ? ""
      : `Default \`${String(field.default)}\`.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function curlExample(path: string, origin: string): string {
  const start = `curl ${origin}/v1${path.replace("{model}", "whisper-1")} \\
  -H "Authorization: Bearer $HEARSAY_API_KEY"`;
  if (path === "/audio/speech") {
    return `${start} \\
  -H "Content-Type: application/json" \\
  -d '{"model": "tts-1", "voice": "nova", "input": "Good morning."}' \\
  -o speech.mp3`;
  }
  if (path === "/audio/transcriptions")
    return `${start} \\\n  -F model=whisper-1 -F file=@recording.mp3 -F response_format=srt`;
  if (path === "/audio/translations")
    return `${start} \\\n  -F model=whisper-1 -F file=@recording.mp3`;
  return start;
}

const toRow = (cells: readonly string[], tag: "th" | "td"): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;

/** Scrolls within itself where it is too wide, also by keyboard. */
function toTableHtml(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const body = rows.map((row) => toRow(row, "td")).join("");
  return `<div class="table columns-${headers.length}" tabindex="0" role="group" aria-label="${headers.join(", ")}">
<table><thead>${toRow(headers, "th")}</thead><tbody>${body}</tbody></table></div>`;
}

const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
const toCodeHtml = (text: string) => `<code>${escapeHtml(text)}</code>`;
/** Converts backticks to code elements. */
const toProseHtml = (text: string) => escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");

const stylesheet = `
:root {
  color-scheme: light dark; --line: light-dark(#d9d6cf, #3a3833);
  --soft: light-dark(#f4f2ed, #24231f); --quiet: light-dark(#6b675f, #a5a097)
}
body {
  margin: 0; font: 16px/1.55 system-ui, sans-serif;
  background: light-dark(#fdfcfa, #1a1917); color: light-dark(#24221e, #ebe8e1)
}
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem }
h1 { font-size: 1.9rem } h2 { margin: 3rem 0 .25rem; font-size: 1.3rem }
a { color: inherit }
code { font: .9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
.address { margin: .25rem 0 } .address b { margin-right: .35rem }
.address code { margin-right: .5rem } .address span { color: var(--quiet) }
pre { padding: .9rem 1rem; overflow-x: auto; background: var(--soft); border-radius: 8px }
pre code { overflow-wrap: normal }
.table { overflow-x: auto; margin: 1rem 0 }
table { width: 100%; border-collapse: collapse }
.columns-2 table { table-layout: fixed } .columns-2 th:first-child { width: 9.25rem }
@media (width > 40rem) { .columns-2 th:first-child { width: 34% } }
.columns-4 code { white-space: nowrap }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--quiet) } em { color: var(--quiet); font-style: normal; font-size: .85em }
`;
