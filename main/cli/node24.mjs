// Runs a module under Node 24, whatever Node started this file. Must be plain JavaScript that Node 20 understands. As a
// command: node node24.mjs MODULE [ARGUMENT...]

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const wantedMajor = 24;
/** Compiled modules, which halve the time of a start. Where the folder cannot be written, there is no cache. */
const compileCache = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "compiled");

/** @param {string} modulePath @param {string[]} args */
export async function runUnderNode24(modulePath, args) {
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  if (Number.parseInt(process.versions.node, 10) >= wantedMajor) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv.splice(1, Infinity, modulePath, ...args);
    await import(pathToFileURL(modulePath).href);
    return;
  }
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(
      `Hearsay needs Node ${wantedMajor} and found ${process.versions.node}. ` +
        '"npm install" brings the right one along: run it first.\n',
    );
    process.exit(1);
  }
  // The IPC channel closes when this process ends for any reason, which the child notices.
  const child = spawn(node, [modulePath, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

/** The Node that `npm install` installed: one package per platform and architecture. */
function installedNode() {
  const kind = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  try {
    const packageFile = createRequire(import.meta.url).resolve(
      `${kind === "darwin-arm64" ? "node-bin" : "node"}-${kind}/package.json`,
    );
    const path = join(
      dirname(packageFile),
      "bin",
      process.platform === "win32" ? "node.exe" : "node",
    );
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === import.meta.filename && process.argv[2] !== undefined) {
  await runUnderNode24(resolve(process.argv[2]), process.argv.slice(3));
}
