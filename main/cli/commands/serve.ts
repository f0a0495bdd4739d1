// hearsay serve: runs the server and the window until it is stopped. If Electron is available, it hosts both, and this
// process starts it and waits.

import { once } from "node:events";
import { basename, resolve } from "node:path";
import type { App } from "../../app.ts";
import { AppError } from "../../contract/errors.ts";
import { claimOrHandOver } from "../../instance/claim-or-hand-over.ts";
import {
  type HandoverRequest,
  type HandoverResponse,
  refusalReason,
  type RefusedFile,
} from "../../instance/messages.ts";
import { minKeyLength, settingSources, type SettingName } from "../../storage/settings/settings.ts";
import { ensureBuiltPage } from "../../../build/built-page.ts";
import { findElectron, type FoundElectron } from "../find-electron.ts";
import { hasScreen, openBrowser } from "../open-browser.ts";
import { unreachableMessage } from "../open-client.ts";
import { runElectron } from "../run-electron.ts";
import { ensureStagedDesktop } from "../../../build/staged-desktop.ts";
import { type Command, type CommandContext, text, UsageError } from "./command.ts";
import { greeting, displayKey } from "./greeting.ts";
import { listenError } from "./system-error.ts";

export const serve: Command = {
  usage: "serve [--headless | [FILE...] [--window | --browser]]",
  summary: "run the API and the window, which transcribes the given files",
  options: {
    headless: { type: "boolean" },
    window: { type: "boolean" },
    browser: { type: "boolean" },
  },
  settings: Object.keys(settingSources) as SettingName[],
  help: {
    headless: "the API without the window; takes no files",
    window: "the desktop window only; no fallback to the browser",
    browser: "the window in the browser, even if the desktop app is available",
  },
  async run(context) {
    const { headless, window, browser } = context.values;
    if ([headless, window, browser].filter((value) => value === true).length > 1)
      throw new UsageError(
        "use only one of --headless (no window), --window (desktop) and --browser",
      );
    if (headless === true && context.positionals.length > 0)
      throw new UsageError(
        '--headless takes no files: use "npx hearsay transcribe FILE", ' +
          "or leave out --headless to see them in the window",
      );
    let browserReason = "as requested";
    if (headless !== true && browser !== true) {
      const electron = findElectron();
      if (electron.isAvailable) {
        const { code, hasCrashed } = await runDesktop(electron.path, context);
        if (!hasCrashed || window === true) return code;
        browserReason = "Electron exited while starting; see its output above";
      } else if (window === true) {
        context.warn(`the desktop window cannot be opened: ${missingElectronReason(electron)}`);
        return 1;
      } else browserReason = missingElectronReason(electron);
    }
    const claim = await claimOrHandOver(
      context.settings.dataDir,
      { paths: context.positionals.map((path) => resolve(path)), wantsWindow: headless !== true },
      context.signal,
    );
    if (claim.type === "answered") return reportHandover(claim.answer, context);
    if (claim.type === "unreachable") {
      context.warn(unreachableMessage(context.settings.dataDir));
      return 1;
    }
    const handlerReady =
      Promise.withResolvers<(request: HandoverRequest) => Promise<HandoverResponse>>();
    await claim.ownership.serve(
      async (request) => (await handlerReady.promise)(request),
      context.warn,
    );
    const app = await context.openApp(claim.ownership);
    const browserWindow = createBrowserWindow(app, context);
    const { baseUrl, apiKey, apiKeyFile, isKeyShort, requestedPort, port } = await app
      .start()
      .catch((error: unknown) => {
        throw listenError(error);
      });
    const unavailablePort =
      port === requestedPort || requestedPort === 0 ? undefined : requestedPort;
    if (unavailablePort !== undefined)
      context.warn(`Port ${unavailablePort} is in use: listening on ${port} instead.`);
    const isFromFlag = text(context, settingSources.apiKey.flag) !== undefined;
    await context.print(
      greeting(
        baseUrl,
        displayKey({
          key: apiKey,
          keyFile: apiKeyFile,
          isFromFlag,
          isTerminal: process.stdout.isTTY,
        }),
        unavailablePort,
      ),
    );
    if (isKeyShort) context.warn(shortKeyWarning);
    handlerReady.resolve((request) => handleHandover(request, app, browserWindow));
    if (headless !== true) await openWindow(app, browserWindow, browserReason, context);
    if (!context.signal.aborted) await once(context.signal, "abort");
    return 0;
  },
};

const shortKeyWarning =
  `The API key is short enough to be guessed: use ${minKeyLength} characters or more. ` +
  "With this key, other machines are not served.";
const buildingMessage = "building the window (once, takes a few seconds)";

const missingElectronReason = ({
  reason,
  remedy,
}: Extract<FoundElectron, { isAvailable: false }>): string =>
  `${reason}${remedy === undefined ? "" : ` (get it with "${remedy}")`}`;

/** A crash within this time counts as a failed start, for example because the system allows no sandbox. */
const startupCrashWindowMs = 10_000;

/** Runs the app in Electron. Settings are passed in the environment, since process lists show arguments. */
async function runDesktop(
  electronPath: string,
  context: CommandContext,
): Promise<{ code: number; hasCrashed: boolean }> {
  const { signal, positionals } = context;
  try {
    const appDir = await ensureStagedDesktop(() => context.warn(buildingMessage), signal);
    const flagValues = Object.values(settingSources).map(
      ({ flag, variable }) =>
        [variable, context.values[flag] === true ? "1" : text(context, flag)] as const,
    );
    const env = {
      ...process.env,
      ...Object.fromEntries(flagValues.filter(([, value]) => value !== undefined)),
    };
    const startedMs = performance.now();
    const code = await runElectron(
      electronPath,
      [appDir, ...positionals.map((path) => resolve(path))],
      env,
      signal,
    );
    // Codes above 128 mean a signal in shell convention, or an exception on Windows.
    return {
      code,
      hasCrashed:
        code > 128 && !signal.aborted && performance.now() - startedMs < startupCrashWindowMs,
    };
  } catch (error) {
    if (signal.aborted) return { code: 130, hasCrashed: false };
    throw error;
  }
}

type BrowserWindow = {
  /** A new link. @throws AppError if the page cannot be built */
  launchUrl(): Promise<string>;
};

/** Opened on demand; a handover from another start may be the first to need it. */
function createBrowserWindow(app: App, { warn, signal }: CommandContext): BrowserWindow {
  let startedWindow: ReturnType<App["startWindow"]> | undefined;
  const open = async (): ReturnType<App["startWindow"]> =>
    app.startWindow(await ensureBuiltPage(() => warn(buildingMessage), signal));
  return {
    async launchUrl() {
      startedWindow ??= open();
      startedWindow.catch(() => (startedWindow = undefined));
      return (await startedWindow).launchUrl();
    },
  };
}

/** Clients are served before the window opens. If it fails, prints the reason and continues. */
async function openWindow(
  app: App,
  window: BrowserWindow,
  browserReason: string,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  try {
    const url = await window.launchUrl();
    // An error of stdout must not stop the app.
    await context
      .print(
        `\nThe window opens in the browser: ${browserReason}.\n` +
          `Open this link within ten minutes, or get a new one with "npx hearsay window":\n  ${url}\n`,
      )
      .catch(() => {});
    if (hasScreen())
      context.signal.addEventListener(
        "abort",
        openBrowser(await window.launchUrl(), { dataDir: context.settings.dataDir }),
      );
    for (const path of context.positionals) {
      await app.importFile(resolve(path)).then(
        () => context.print(`Transcribing ${basename(path)}: see the Transcribe page.\n`),
        (error: unknown) => context.warn(`${path}: ${(error as Error).message}`),
      );
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    context.warn(`the window is not available: ${error.message}`);
  }
}

/** Handles a request that another start on this data folder handed over. */
async function handleHandover(
  { paths, wantsWindow }: HandoverRequest,
  app: App,
  window: BrowserWindow,
): Promise<HandoverResponse> {
  const refused: RefusedFile[] = [];
  for (const path of paths)
    await app
      .importFile(path)
      .catch((error: unknown) => void refused.push({ path, ...refusalReason(error) }));
  const baseUrl = app.baseUrl();
  // Without a window, the files are still transcribed.
  const launchUrl = wantsWindow ? await window.launchUrl().catch(() => undefined) : undefined;
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(launchUrl === undefined ? {} : { launchUrl }),
    refused,
  };
}

/** Reports the result of the handover: the app that is already running took over, and this start ends. */
async function reportHandover(
  { baseUrl, launchUrl, refused }: HandoverResponse,
  context: CommandContext,
): Promise<number> {
  for (const { path, message } of refused) context.warn(`${path}: ${message}`);
  const acceptedCount = context.positionals.length - refused.length;
  const lines = [
    `Hearsay is already running on this data folder${baseUrl === undefined ? "." : `: ${baseUrl}`}`,
    ...(acceptedCount === 0
      ? []
      : [
          `It is transcribing ${acceptedCount === 1 ? "the file" : `${acceptedCount} files`}: see the Transcribe page.`,
        ]),
    ...(launchUrl === undefined
      ? []
      : ["Link to its window, valid for ten minutes:", `  ${launchUrl}`]),
  ];
  await context.print(`${lines.join("\n")}\n`);
  if (launchUrl !== undefined && hasScreen())
    openBrowser(launchUrl, { dataDir: context.settings.dataDir });
  return refused.length === 0 ? 0 : 1;
}
