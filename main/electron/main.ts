// Entry of Electron: what must happen before the app is ready, the single instance, and early events. The rest is in
// desktop.ts, loaded only if this start continues.

import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { app, crashReporter, dialog, shell } from "electron";
import { limitYoungGeneration, logUnhandledRejections } from "../processes/host-common.ts";
import { claimOrHandOver } from "../instance/claim-or-hand-over.ts";
import { writeLaunchPage } from "../instance/launch-page.ts";
import type { Ownership } from "../instance/ownership.ts";
import { createLog } from "../log.ts";
import { mkdirSync } from "../storage/disk.ts";
import { describeError, messagesFor, translateSent } from "./messages.ts";
import { createOpenRequests } from "./open-requests.ts";
import { type OpenRequest, openRequest, readStart, type Start } from "./start-arguments.ts";

/** Global shortcuts under Wayland; system audio under PulseAudio and PipeWire. */
const features = ["GlobalShortcutsPortal", "PulseaudioLoopbackForScreenShare"];
/** Same as in electron-builder.yml: Windows uses it to assign notifications to the app. */
const appId = "app.hearsay";

const emptyRequest: OpenRequest = { paths: [], dictates: false, isHidden: false };

/** Resolves when the app has started, or this start is finished. */
export const started: Promise<void> = startApp();

async function startApp(): Promise<void> {
  let start: Start;
  try {
    start = readStart(process.argv.slice(1), {
      appPath: app.getAppPath(),
      cwd: process.cwd(),
      env: process.env,
    });
    prepare(start.settings.dataDir);
  } catch (error) {
    dialog.showErrorBox("Hearsay", describeError(error, messagesFor(undefined, app.getLocale())));
    app.exit(2);
    return;
  }
  const requests = createOpenRequests();
  if (!app.requestSingleInstanceLock(start.request)) {
    app.quit();
    return;
  }
  app.on(
    "second-instance",
    (_event, _args, _folder, request) =>
      void requests.push(openRequest.catch(emptyRequest).parse(request)),
  );
  // On macOS files arrive by this event, the first ones before the app is ready.
  app.on("open-file", (event, path) => {
    event.preventDefault();
    void requests.push({ ...emptyRequest, paths: [path] });
  });
  // The app runs until it is asked to quit; main-window.ts decides when closing the window means that.
  app.on("window-all-closed", () => {});
  let isQuitting = false;
  app.on("before-quit", () => (isQuitting = true));
  const log = createLog(process.env["HEARSAY_LOG"]);
  limitYoungGeneration();
  logUnhandledRejections(log);
  try {
    await app.whenReady();
    void requests.push({
      ...start.request,
      isHidden: start.request.isHidden || app.getLoginItemSettings().wasOpenedAtLogin,
    });
    const ownership = await claimDataFolder(start);
    if (ownership === undefined) return;
    const { startDesktop } = await import("./desktop.ts");
    await startDesktop({ settings: start.settings, requests, log, ownership });
  } catch (error) {
    // Errors during startup are expected while quitting.
    if (isQuitting) return;
    log.fatal({ err: error }, "the app could not start");
    const texts = messagesFor(undefined, app.getLocale());
    dialog.showErrorBox(texts.startFailed, describeError(error, texts));
    app.exit(1);
  }
}

/**
 * The data folder may be in use by a Hearsay without a desktop, which then handles this request. @returns undefined if
 * this process has nothing left to do
 */
async function claimDataFolder({
  settings: { dataDir },
  request,
}: Start): Promise<Ownership | undefined> {
  const claim = await claimOrHandOver(
    dataDir,
    { paths: request.paths, wantsWindow: !request.isHidden },
    new AbortController().signal,
  );
  if (claim.type === "owner") return claim.ownership;
  const texts = messagesFor(undefined, app.getLocale());
  if (claim.type === "unreachable") {
    dialog.showErrorBox(texts.startFailed, texts.ownedElsewhere);
    app.exit(1);
    return undefined;
  }
  const { launchUrl, refused } = claim.answer;
  const page = launchUrl === undefined ? undefined : writeLaunchPage(launchUrl, { dataDir });
  if (page !== undefined) await shell.openExternal(pathToFileURL(page.path).href);
  if (refused.length > 0)
    dialog.showErrorBox(
      texts.notOpened,
      refused
        .map(({ path, ...sent }) => `${basename(path)}: ${translateSent(sent, texts)}`)
        .join("\n"),
    );
  app.exit(0);
  return undefined;
}

/** @throws Error if the folder cannot be created */
function prepare(dataDir: string): void {
  const { commandLine } = app;
  const enabledFeatures = commandLine
    .getSwitchValue("enable-features")
    .split(",")
    .filter((feature) => feature !== "");
  commandLine.appendSwitch(
    "enable-features",
    [...new Set([...enabledFeatures, ...features])].join(","),
  );
  app.enableSandbox();
  app.setAppUserModelId(appId);
  // A folder of its own for Chromium's files, and thus a single-instance lock per data folder.
  const ownDir = join(dataDir, "desktop");
  const crashDir = join(dataDir, "crashes");
  for (const folder of [ownDir, crashDir]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  app.setPath("userData", ownDir);
  app.setPath("crashDumps", crashDir);
  // Reports stay on this machine; the user may share them manually.
  crashReporter.start({ uploadToServer: false });
}
