// Checks which folder of main/ and renderer/ may import which. A folder that is missing from the table fails.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

const main = join(import.meta.dirname, "..", "main");

/** `x/*`: the files directly in a folder; `x/**`: everything below it; anything else: one file. */
type Pattern = string;

/** Folder → what it may import besides itself. The first row that matches a file applies. */
const table: readonly (readonly [room: Pattern, may: readonly Pattern[]])[] = [
  ["contract/**", []],
  ["platform.ts", []],
  ["log.ts", []],
  ["storage/**", ["contract/**", "platform.ts", "log.ts"]],
  ["processes/**", ["contract/**", "platform.ts", "log.ts"]],
  ["instance/**", ["storage/**", "contract/**"]],
  ["network/**", ["storage/database.ts", "contract/**", "log.ts"]],
  ["audio/**", ["storage/disk.ts", "contract/**"]],
  ["text/**", ["contract/**"]],
  ["transcript/**", ["processes/time-slices.ts", "contract/**"]],
  [
    "models/**",
    [
      "storage/onnx-metadata.ts",
      "processes/run-task.ts",
      "processes/serve-task.ts",
      "storage/disk.ts",
      "storage/file-hash.ts",
      "storage/partial-path.ts",
      "contract/**",
      "platform.ts",
      "log.ts",
    ],
  ],
  ["licences/**", ["models/catalog/shipped.ts", "contract/**", "../package.json"]],
  ["audiobook/**", ["audio/**", "transcript/**", "storage/disk.ts", "contract/**"]],
  ["usage/**", ["storage/**", "contract/**", "log.ts"]],
  [
    "library/process/**",
    [
      "library/**",
      "transcript/**",
      "processes/**",
      "storage/**",
      "contract/**",
      "platform.ts",
      "log.ts",
    ],
  ],
  ["library/**", ["processes/**", "storage/**", "contract/**", "platform.ts", "log.ts"]],
  // No engine imports another one. Only engine-list.ts knows them all, and only the pool imports it.
  [
    "engines/stt/whisper/**",
    [
      "engines/stt/*",
      "engines/engine.ts",
      "engines/free-tensors.ts",
      "engines/model-files.ts",
      "audio/**",
      "text/**",
      "contract/**",
    ],
  ],
  [
    "engines/stt/moonshine/**",
    [
      "engines/stt/*",
      "engines/engine.ts",
      "engines/model-files.ts",
      "audio/**",
      "text/**",
      "contract/**",
    ],
  ],
  ["engines/stt/*", ["contract/**"]],
  [
    "engines/tts/hibari/**",
    [
      "engines/tts/*",
      "engines/engine.ts",
      "engines/session-options.ts",
      "audio/**",
      "text/**",
      "contract/**",
    ],
  ],
  [
    "engines/tts/kokoro/**",
    [
      "engines/tts/*",
      "engines/engine.ts",
      "engines/free-tensors.ts",
      "engines/session-options.ts",
      "audio/**",
      "text/**",
      "contract/**",
    ],
  ],
  ["engines/tts/*", ["engines/engine.ts", "engines/session-options.ts", "text/**", "contract/**"]],
  ["engines/vad/*", ["engines/session-options.ts", "audio/**", "contract/**"]],
  [
    "engines/diarization/*",
    ["engines/engine.ts", "engines/model-files.ts", "audio/**", "contract/**"],
  ],
  [
    "engines/pool/*",
    [
      "engines/engine-list.ts",
      "engines/engine.ts",
      "engines/model-runtime.ts",
      "engines/vad/*",
      "engines/diarization/*",
      "audiobook/**",
      "audio/**",
      "processes/**",
      "storage/disk.ts",
      "contract/**",
      "platform.ts",
      "log.ts",
    ],
  ],
  // Not through engine-list.ts: its library is never in one process with onnxruntime-node.
  [
    "engines/sherpa/*",
    [
      "engines/engine.ts",
      "engines/model-runtime.ts",
      "engines/verify-file.ts",
      "engines/stt/*",
      "engines/tts/post-processing.ts",
      "engines/pool/engine-tasks.ts",
      "engines/pool/model-cache.ts",
      "engines/pool/protocol.ts",
      "engines/pool/serve-tasks.ts",
      "audio/**",
      "storage/disk.ts",
      "storage/onnx-metadata.ts",
      "storage/partial-path.ts",
      "contract/**",
    ],
  ],
  ["engines/engine-list.ts", ["engines/**", "contract/**"]],
  ["engines/providers-child.ts", ["processes/**"]],
  ["engines/*", ["storage/file-hash.ts", "contract/**"]],
  [
    "inference/**",
    [
      "models/defaults.ts",
      "engines/diarization/*",
      "engines/engine.ts",
      "engines/model-runtime.ts",
      "engines/pool/*",
      "audio/**",
      "text/**",
      "transcript/transcribed-speakers.ts",
      "transcript/speaker-assignment.ts",
      "transcript/speaker-names.ts",
      "transcript/word-errors.ts",
      "processes/run-in-turns.ts",
      "storage/disk.ts",
      "storage/media-file.ts",
      "contract/**",
      "log.ts",
    ],
  ],
  [
    "channels/**",
    [
      "usage/**",
      "network/outbound.ts",
      "audio/codec/formats.ts",
      "processes/run-in-turns.ts",
      "storage/**",
      "contract/**",
      "log.ts",
    ],
  ],
  [
    "jobs/**",
    [
      "channels/router.ts",
      "engines/pool/pool.ts",
      "library/**",
      "audiobook/**",
      "transcript/**",
      "audio/**",
      "text/**",
      "processes/**",
      "storage/**",
      "contract/**",
      "platform.ts",
      "log.ts",
    ],
  ],
  ["server/window/**", ["server/gateway.ts", "server/http/**", "contract/**", "log.ts"]],
  // Of the server, only what does not depend on HTTP.
  [
    "server/wyoming/**",
    [
      "server/http/admission.ts",
      "server/http/error-response.ts",
      "server/http/request-id.ts",
      "network/outbound.ts",
      "audio/codec/framing.ts",
      "text/sentences.ts",
      "storage/media-file.ts",
      "contract/**",
      "log.ts",
    ],
  ],
  [
    "server/http/**",
    [
      "server/route-context.ts",
      "audio/codec/formats.ts",
      "processes/time-slices.ts",
      "storage/**",
      "contract/**",
      "log.ts",
    ],
  ],
  [
    "server/**",
    [
      "jobs/**",
      "channels/**",
      "models/**",
      "library/**",
      "usage/**",
      "network/**",
      "transcript/**",
      "audiobook/audiobook-details.ts",
      "engines/model-runtime.ts",
      "audio/codec/formats.ts",
      "audio/codec/framing.ts",
      "audio/codec/g711.ts",
      "audio/codec/pcm.ts",
      "audio/dsp/streaming-resampler.ts",
      "audio/dsp/vad-segmenter.ts",
      "processes/run-in-turns.ts",
      "processes/time-slices.ts",
      "storage/**",
      "contract/**",
      "log.ts",
    ],
  ],
  // These wire all folders together and know the version of the package. Only app.ts imports wiring/.
  ["app.ts", ["**"]],
  ["wiring/**", ["**", "../package.json"]],
  // A host reads its settings before it starts the app and reports the version. The CLI also builds what is missing.
  [
    "cli/**",
    [
      "app.ts",
      "../package.json",
      "../build/built-page.ts",
      "../build/staged-desktop.ts",
      "platform.ts",
      "processes/host-common.ts",
      "storage/**",
      "instance/**",
      "server/http/network-addresses.ts",
      "contract/**",
      "log.ts",
    ],
  ],
  [
    "electron/**",
    [
      "app.ts",
      "platform.ts",
      "processes/host-common.ts",
      "storage/**",
      "instance/**",
      "network/outbound.ts",
      "contract/**",
      "log.ts",
      "../renderer/messages/en/desktop.json",
    ],
  ],
];

/** Folders that only their own files may import. */
const hosts: readonly Pattern[] = ["cli/**", "electron/**"];

function fits(file: string, pattern: Pattern): boolean {
  if (pattern === "**") return !file.startsWith("..");
  if (pattern.endsWith("/**")) return file.startsWith(pattern.slice(0, -2));
  if (pattern.endsWith("/*")) return dirname(file) === pattern.slice(0, -2);
  return file === pattern;
}

const roomOf = (file: string) => table.find(([room]) => fits(file, room));

const files = readdirSync(main, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.(ts|mjs)$/.test(path));

/** All imports of a module: static, dynamic, type-only and re-exports. */
function importsOf(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  return Array.from(
    code.matchAll(/\bfrom\s*(['"])(.+?)\1|\bimport\s*\(?\s*(['"])(.+?)\3/g),
    ([, , from, , direct]) => (from ?? direct) as string,
  );
}

const read = (file: string) => importsOf(readFileSync(join(main, file), "utf8"));
/** Resolves a relative import to a path in main/. */
const target = (file: string, specifier: string) =>
  normalize(join(dirname(file), specifier)).replaceAll("\\", "/");

/** Imports of a file that its row of the table does not allow. */
function forbidden(file: string, imports: readonly string[]): string[] {
  const row = roomOf(file);
  if (row === undefined) return [`${file} belongs to no room of the table`];
  const [room, may] = row;
  const ours = imports
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => target(file, specifier));
  return ours
    .filter((path) => !fits(path, room) && !may.some((pattern) => fits(path, pattern)))
    .map((path) => `${file} imports ${path}`);
}

it("finds imports in every notation", () => {
  const source = `
    import { a } from './a.ts';
    import type { B } from "./b.ts";
    import './c.ts';
    import {
      d,
    } from './d.ts';
    export { e } from './e.ts';
    const f = await import('./f.ts');
    type G = import('./g.ts').G;
    // import './h.ts';
    /* import './i.ts'; */`;
  expect(importsOf(source).sort()).toEqual([
    "./a.ts",
    "./b.ts",
    "./c.ts",
    "./d.ts",
    "./e.ts",
    "./f.ts",
    "./g.ts",
  ]);
});

it("reports forbidden imports and files that no row of the table matches", () => {
  expect(
    forbidden("text/sentences.ts", [
      "../audio/pcm.ts",
      "../contract/errors.ts",
      "./words.ts",
      "node:fs",
    ]),
  ).toEqual(["text/sentences.ts imports audio/pcm.ts"]);
  expect(forbidden("engines/stt/moonshine/moonshine.ts", ["../../tts/hibari/pace.ts"])).toEqual([
    "engines/stt/moonshine/moonshine.ts imports engines/tts/hibari/pace.ts",
  ]);
  expect(forbidden("engines/stt/listener/listener.ts", [])).toEqual([
    "engines/stt/listener/listener.ts belongs to no room of the table",
  ]);
  expect(forbidden("misc/things.ts", [])).toEqual([
    "misc/things.ts belongs to no room of the table",
  ]);
});

/** Imports that are loaded together with a module: neither types nor dynamic imports. */
function loadedBy(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  return Array.from(
    code.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^'";]*?)\sfrom\s*)?['"]([^'"]+)['"]/gm),
  ).flatMap(([, names = "", from = ""]) => {
    const named = /^\{([\s\S]*)\}$/
      .exec(names.trim())?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    return named?.every((name) => name.startsWith("type ")) === true ? [] : [from];
  });
}

it("keeps the libraries that decode media and run models out of the server's process", () => {
  const seen = new Set(["app.ts"]);
  const native: string[] = [];
  for (const file of seen) {
    for (const specifier of loadedBy(readFileSync(join(main, file), "utf8"))) {
      if (/^(node-av|onnxruntime-node|sherpa-onnx)/.test(specifier))
        native.push(`${file} loads ${specifier}`);
      if (specifier.startsWith(".") && specifier.endsWith(".ts")) seen.add(target(file, specifier));
    }
  }
  expect(seen.size).toBeGreaterThan(100);
  expect(native).toEqual([]);
});

/** Libraries that a process with this entry module loads. */
function librariesOf(entry: string): string[] {
  const seen = new Set([entry]);
  const packages = new Set<string>();
  for (const file of seen) {
    const source = readFileSync(join(main, file), "utf8");
    if (source.includes('("sherpa-onnx-node")')) packages.add("sherpa-onnx-node");
    for (const specifier of loadedBy(source)) {
      if (!specifier.startsWith(".")) packages.add(specifier);
      else if (specifier.endsWith(".ts")) seen.add(target(file, specifier));
    }
  }
  return [...packages].filter((name) => /^(node-av|onnxruntime-node|sherpa-onnx)/.test(name));
}

it("keeps the two libraries that run models out of one process", () => {
  expect(librariesOf("engines/sherpa/child.ts")).toEqual(["sherpa-onnx-node"]);
  expect(librariesOf("engines/pool/child.ts")).toContain("onnxruntime-node");
  expect(librariesOf("engines/pool/child.ts")).not.toContain("sherpa-onnx-node");
});

it("finds the source files", () => {
  expect(files).toContain("app.ts");
  expect(files).toContain("cli/hearsay.mjs");
  expect(read("app.ts")).toContain("./wiring/engines.ts");
});

it("allows each file only the imports of its row", () => {
  expect(files.flatMap((file) => forbidden(file, read(file)))).toEqual([]);
});

/** Each cycle of imports once, as a list of its files. */
function importCycles(
  importsOfFile: (file: string) => readonly string[],
  roots: readonly string[],
): string[] {
  const state = new Map<string, "open" | "done">();
  const path: string[] = [];
  const cycles: string[] = [];
  const visit = (file: string): void => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
      return;
    }
    state.set(file, "open");
    path.push(file);
    for (const imported of importsOfFile(file)) visit(imported);
    path.pop();
    state.set(file, "done");
  };
  for (const root of roots) visit(root);
  return cycles;
}

it("finds no cycle of imports", () => {
  const graph: Readonly<Record<string, string[]>> = { a: ["b"], b: ["c"], c: ["b"], d: ["a"] };
  expect(importCycles((file) => graph[file] ?? [], Object.keys(graph))).toEqual(["b → c → b"]);
  const ours = new Set(files);
  const imported = (file: string) =>
    read(file)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => target(file, specifier))
      .filter((path) => ours.has(path));
  expect(importCycles(imported, files)).toEqual([]);
});

it("allows only hosts to import a host", () => {
  const wrong = files.flatMap((file) =>
    read(file)
      .map((specifier) => target(file, specifier))
      .filter((path) => hosts.some((host) => fits(path, host) && !fits(file, host)))
      .map((path) => `${file} imports ${path}`),
  );
  expect(wrong).toEqual([]);
});

it("keeps electron inside its host and Node out of the contract", () => {
  const electron = files.filter(
    (file) =>
      !file.startsWith("electron/") &&
      read(file).some((specifier) => /^electron(\/|$)/.test(specifier)),
  );
  const node = files.filter(
    (file) =>
      file.startsWith("contract/") && read(file).some((specifier) => specifier.startsWith("node:")),
  );
  expect({ electron, node }).toEqual({ electron: [], node: [] });
});

/** Functions of node:fs, without `Sync`, that need disk space or write permission. Removing files is not included. */
const writing =
  /^(?:write|append|copy|cp|mk|rename|link|symlink|truncate|ftruncate|[fl]?chmod|[fl]?chown|[fl]?utimes|fsync|fdatasync|createWriteStream|WriteStream)/;

/** Files that may write without storage/disk.ts, because they write nothing into the data folder. */
const ownWrites: Readonly<Record<string, string>> = {
  "storage/disk.ts": "the one place",
  "processes/watchdog.ts": "its last words on stderr",
  "cli/commands/transcribe.ts": "a folder that a person names: errors contain its name",
  "cli/commands/atomic-file.ts": "a file that a person names: errors contain its name",
  "electron/login-item.ts": "the system's folder of what starts at login",
};

/** Writing functions of node:fs that a module imports. */
function writesOf(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  const found = Array.from(
    code.matchAll(/\bimport\s+(?!type\b)([^;]*?)\s*from\s*['"](?:node:)?fs(?:\/promises)?['"]/g),
  ).flatMap(([, names = ""]) => {
    const named = /^\{([\s\S]*)\}$/.exec(names)?.[1];
    // A namespace import.
    if (named === undefined) return [names];
    return named
      .split(",")
      .map((name) => name.trim())
      .filter(
        (name) => writing.test(name) || (/^open(?:Sync)?\b/.test(name) && opensForWriting(code)),
      );
  });
  return [
    ...found,
    ...Array.from(
      code.matchAll(/\bimport\(\s*['"](?:node:)?fs(?:\/promises)?['"]/g),
      ([text]) => text,
    ),
  ];
}

/** Whether a file is opened with any flags other than those for reading. */
const opensForWriting = (code: string): boolean =>
  Array.from(code.matchAll(/\bopen(?:Sync)?\(((?:[^()]|\([^()]*\))*)\)/g)).some(([, args = ""]) =>
    /,(?!\s*['"]r['"]\s*$)/.test(args.replaceAll(/\([^()]*\)/g, "")),
  );

it("finds files that write with node:fs directly", () => {
  expect(
    writesOf(
      "import { rm, readFile } from 'node:fs/promises';\nimport type { Stats } from 'node:fs';",
    ),
  ).toEqual([]);
  expect(
    writesOf(
      "import {\n  readFile,\n  writeFile as keep,\n} from 'node:fs/promises';\nimport { mkdirSync } from \"node:fs\";",
    ),
  ).toEqual(["writeFile as keep", "mkdirSync"]);
  expect(
    writesOf("import * as fs from 'node:fs';\nconst { promises } = await import('node:fs');"),
  ).toEqual(["* as fs", "import('node:fs'"]);
  expect(
    writesOf("import { openSync } from 'node:fs';\nconst file = openSync(path, 'r');"),
  ).toEqual([]);
  expect(
    writesOf(
      "import { open } from 'node:fs/promises';\nconst file = await open(join(a, b)).catch((error) => withPath(error, path));",
    ),
  ).toEqual([]);
  expect(
    writesOf(
      "import { open } from 'node:fs/promises';\nconst file = await open(path, 'wx', 0o600);",
    ),
  ).toEqual(["open"]);
});

it("allows only storage/disk.ts to write to the data folder", () => {
  const wrong = files
    .filter((file) => !(file in ownWrites))
    .flatMap((file) =>
      writesOf(readFileSync(join(main, file), "utf8")).map(
        (name) => `${file} has ${name} of node:fs`,
      ),
    );
  expect(wrong).toEqual([]);
  const needless = Object.keys(ownWrites).filter(
    (file) =>
      !files.includes(file) || writesOf(readFileSync(join(main, file), "utf8")).length === 0,
  );
  expect(needless).toEqual([]);
});

/** Files that may open connections, and why each needs no other check. */
const connecting: Readonly<Record<string, string>> = {
  "channels/openai/client.ts": "its pool is behind the guard of network/outbound.ts",
  "channels/openai/realtime.ts": "network/outbound.ts checks each of its WebSockets",
  "network/proxies.ts": "wiring/models.ts puts it behind the same guard",
  "models/download/hub-client.ts": "it uses the dispatcher that it is given",
  "instance/claim-or-hand-over.ts": "another start on this data folder, on loopback",
  "server/v1/realtime/realtime-docs.ts": "an example for other programs, as text",
  "cli/app-client.ts": "the running app, at its own address or at one that a person names",
  "server/wyoming/announcement.ts": "multicast on the local network, never while Offline is on",
  "electron/window-session.ts": "the window's own port, on loopback",
  "electron/update-feed.ts": "the session that electron/update-session.ts guards",
  "electron/updates.ts": "electron-updater, which uses the same session",
};

/** What is imported from Node's network modules without opening a connection. */
const passive = /^(?:createServer|isIP|isIPv4|isIPv6|BlockList)$/;

/** Ways to open a connection that a module uses. */
function connectionsOf(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  const modules =
    "(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns/promises)|undici|bonjour-service|electron|electron-updater";
  const imported = Array.from(
    code.matchAll(
      new RegExp(`\\bimport\\s+(?!type\\b)([^;"']*?)\\s*from\\s*["'](${modules})["']`, "g"),
    ),
  ).flatMap(([, names = "", module = ""]) =>
    names
      .replaceAll(/[{}]/g, "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type ") && !passive.test(name))
      .filter((name) => module !== "electron" || /^net\b|^\*/.test(name)),
  );
  return [
    ...imported,
    ...Array.from(
      code.matchAll(new RegExp(`\\bimport\\(\\s*["'](?:${modules})["']`, "g")),
      ([text]) => text,
    ),
    // Hono's `app.fetch` answers a request.
    ...Array.from(
      code.matchAll(/(?<!\bapp\.)\bfetch\(|\bnew (?:WebSocket|EventSource)\(/g),
      ([text]) => text,
    ),
  ];
}

it("finds every way to open a connection", () => {
  expect(
    connectionsOf(`
    import type { Dispatcher } from "undici";
    import { createServer, type Server } from "node:http";
    import { BlockList, isIP } from "node:net";
    import { app, session } from "electron";
    const response = await app.fetch(request);
    // await fetch("https://somewhere.test")`),
  ).toEqual([]);
  expect(
    connectionsOf(`
    import { type Dispatcher, request } from "undici";
    import { createServer, get } from "node:https";
    import * as tcp from "node:net";
    import { app, net } from "electron";
    const { Pool } = await import("undici");
    await fetch("https://somewhere.test");
    await session.fetch(url);
    new WebSocket(url);`),
  ).toEqual([
    "request",
    "get",
    "* as tcp",
    "net",
    'import("undici"',
    "fetch(",
    "fetch(",
    "new WebSocket(",
  ]);
});

it("lets only the listed files open connections", () => {
  const found = files.filter(
    (file) => connectionsOf(readFileSync(join(main, file), "utf8")).length > 0,
  );
  expect(found.toSorted()).toEqual(Object.keys(connecting).toSorted());
});

// The page of the window. A folder of renderer/ may import itself, the listed folders, and only contract/ of main/.
const renderer = join(import.meta.dirname, "..", "renderer");
const windowTable: readonly (readonly [room: Pattern, may: readonly Pattern[]])[] = [
  ["messages/**", ["contract/**"]],
  ["bridge/**", ["contract/**"]],
  ["api/**", ["messages/**", "contract/**"]],
  ["stores/**", ["api/**", "bridge/**", "messages/**", "contract/**"]],
  ["ui/**", ["bridge/**", "messages/**", "contract/**"]],
  ["frame/**", ["stores/**", "api/**", "bridge/**", "ui/**", "messages/**", "contract/**"]],
  // One row for all features: each of them is a folder of its own.
  ["features/**", ["stores/**", "api/**", "bridge/**", "ui/**", "messages/**", "contract/**"]],
  ["app.tsx", ["**"]],
  ["main.tsx", ["app.tsx"]],
];

const windowFiles = readdirSync(renderer, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.tsx?$/.test(path));

/** Resolves a relative import to a path in renderer/, or to `contract/…`. */
const windowTarget = (file: string, specifier: string) =>
  target(file, specifier).replace(/^\.\.\/main\/contract\//, "contract/");

function forbiddenInWindow(file: string, imports: readonly string[]): string[] {
  const row = windowTable.find(([room]) => fits(file, room));
  if (row === undefined) return [`renderer/${file} belongs to no room of the table`];
  const feature = /^features\/[^/]+\//.exec(file)?.[0];
  const own: Pattern = feature === undefined ? row[0] : `${feature}**`;
  const ours = imports
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => windowTarget(file, specifier.replace(/\?.*$/, "")));
  return ours
    .filter((path) => !fits(path, own) && !row[1].some((pattern) => fits(path, pattern)))
    .map((path) => `renderer/${file} imports ${path}`);
}

it("reports forbidden imports in the window", () => {
  expect(
    forbiddenInWindow("features/narrate/page.tsx", [
      "../transcribe/page.tsx",
      "../../frame/rail.tsx",
      "../../ui/button.tsx",
      "../../../main/contract/api.ts",
      "../../../main/audio/pcm.ts",
      "./script.ts",
    ]),
  ).toEqual([
    "renderer/features/narrate/page.tsx imports features/transcribe/page.tsx",
    "renderer/features/narrate/page.tsx imports frame/rail.tsx",
    "renderer/features/narrate/page.tsx imports ../main/audio/pcm.ts",
  ]);
});

it("allows each file of the window only the imports of its row", () => {
  const all = windowFiles.flatMap((file) =>
    forbiddenInWindow(file, importsOf(readFileSync(join(renderer, file), "utf8"))),
  );
  expect(windowFiles).toContain("app.tsx");
  expect(all).toEqual([]);
});
