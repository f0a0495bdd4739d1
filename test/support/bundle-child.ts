// Runs a built desktop app as in Electron, with fake-electron.ts in its place. Its argument is the app's folder. On
// request by IPC it sends what the window shows and quits the app.

import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

export type WindowSnapshot = {
  html: string;
  bridge: string[];
  state: unknown;
  info: unknown;
  preferences: object;
  engineModules: string[];
};

const [, , appDir = ""] = process.argv;
const fakeUrl = pathToFileURL(resolve(import.meta.dirname, "fake-electron.ts")).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "electron")
      return { url: fakeUrl, format: "module-typescript", shortCircuit: true };
    // The fake runs preload scripts from their TypeScript source; a built app has only the bundled one.
    const builtSpecifier = specifier.replace(/\.ts(?=\?page=)/, ".cjs");
    return next(
      builtSpecifier !== specifier &&
        existsSync(fileURLToPath(new URL(builtSpecifier).href.replace(/\?.*/, "")))
        ? builtSpecifier
        : specifier,
      context,
    );
  },
});
// A packaged app starts without further arguments.
process.argv.splice(1, Infinity);

const electron = await import("./fake-electron.ts");
const { app, BrowserWindow, fake, UtilityProcess } = electron;
const { started } = (await import(
  pathToFileURL(join(appDir, "main", "electron", "main.js")).href
)) as { started: Promise<void> };
await started;

process.on("message", (message) => {
  if (message === "look") void inspectWindow().then((snapshot) => process.send?.(snapshot));
  if (message === "quit") app.quit();
});
process.on("disconnect", () => process.exit(1));
process.send?.(fake.errors);
await fake.exited.promise;
process.exit(fake.exitCode);

async function inspectWindow(): Promise<WindowSnapshot> {
  const [window] = BrowserWindow.all;
  if (window === undefined) throw new Error("there is no window");
  const { webContents } = window;
  const deadlineMs = performance.now() + 20_000;
  while (!("hearsayDesktop" in webContents.mainWorld)) {
    if (performance.now() > deadlineMs)
      throw new Error(
        `the window is without its bridge; it was answered ${webContents.response?.status}`,
      );
    await pause(25);
  }
  const bridge = webContents.mainWorld["hearsayDesktop"] as { state(): Promise<unknown> };
  const cookie = electron.session
    .fromPartition(webContents.preferences.partition ?? "")
    .cookieJar.map(({ name, value }) => `${name}=${value}`)
    .join("; ");
  const info: unknown = await (
    await fetch(new URL("app/info", webContents.getURL()), { headers: { cookie } })
  ).json();
  return {
    html: webContents.response?.text ?? "",
    bridge: Object.keys(bridge).sort(),
    state: await bridge.state(),
    info,
    preferences: { ...webContents.preferences },
    engineModules: [...UtilityProcess.all].map(({ modulePath }) => modulePath),
  };
}
