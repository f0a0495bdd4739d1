// Updates: check at the address from the preferences, download and install, each on request only. Errors become part of
// the state. electron-updater trusts its server, so nothing is offered or installed unless the publisher signed it
// (update-approval.ts).

import type { KeyObject } from "node:crypto";
import type { AppUpdater, UpdateCheckResult } from "electron-updater";
import { AppError } from "../contract/errors.ts";
import type { UpdateState } from "../contract/desktop-bridge.ts";
import { writeFile } from "../storage/disk.ts";
import type { Quit } from "./quit.ts";
import { approveDownload, approveUpdate, type SignedFile } from "./update-approval.ts";
import type { ReadFeedFile } from "./update-feed.ts";
import { checkFile, type Machine, type UpdateManifest } from "./update-manifest.ts";

type Updater = Pick<
  AppUpdater,
  | "autoDownload"
  | "autoInstallOnAppQuit"
  | "disableWebInstaller"
  | "updateConfigPath"
  | "checkForUpdates"
  | "downloadUpdate"
  | "quitAndInstall"
  | "on"
>;

export type UpdatesDeps = {
  /** The https address from the preferences; empty: none. */
  feed(): string;
  /** @throws AppError `offline` if no connection to that address may be opened */
  checkOnline(url: string): void;
  /** File with the feed address, written here and read by electron-updater. */
  configPath: string;
  /** The running version. */
  version: string;
  /** The publisher's public keys; without keys nothing is installed. */
  keys: readonly KeyObject[];
  readFeedFile: ReadFeedFile;
  machine?: Machine;
  onChange(): void;
  /** Pages may prevent it, and all work stops before the new version is installed. */
  quitThen: Quit["quitThen"];
  load?(): Promise<Updater>;
};

export type Updates = {
  state(): UpdateState;
  check(): Promise<void>;
  /** No effect if no update is available. */
  download(): Promise<void>;
  /** No effect if no update was downloaded. */
  install(): Promise<void>;
};

/** Folder for downloads, below the system's cache folder. */
const cacheDirName = "hearsay-updater";
const thisMachine: Machine = { system: process.platform, arch: process.arch };

export function createUpdates({
  feed,
  checkOnline,
  configPath,
  version: runningVersion,
  keys,
  readFeedFile,
  machine = thisMachine,
  onChange,
  quitThen,
  load = loadUpdater,
}: UpdatesDeps): Updates {
  const approval = { version: runningVersion, keys, machine, readFeedFile };
  const { state, setState, setProgress, fail } = createUpdateStatus(onChange);
  let checkedFeed = "";
  let updater: Promise<Updater> | undefined;
  /** The signed, newer release that electron-updater is going to download. */
  let approved: UpdateManifest | undefined;
  let downloaded: SignedFile | undefined;
  /** Set during the installation: after an error the app must quit. */
  let forceQuit: (() => void) | undefined;

  const failConnection = (error: unknown): void =>
    fail(refusalOr(error, () => checkOnline(checkedFeed)));

  async function prepare(): Promise<Updater> {
    const loaded = configure(await load());
    loaded.on("download-progress", ({ percent }) => setProgress(percent / 100));
    loaded.on("error", (error) => {
      fail(error);
      forceQuit?.();
    });
    return loaded;
  }

  return {
    state,
    async check() {
      if (state().step === "checking" || state().step === "downloading") return;
      const url = feed();
      if (url === "") {
        setState({ step: "idle" });
        return;
      }
      checkedFeed = url;
      setState({ step: "checking" });
      [approved, downloaded] = [undefined, undefined];
      try {
        checkOnline(url);
        const loadedUpdater = await (updater ??= prepare());
        const { isUpdateAvailable, updateInfo } = await checkFeed(loadedUpdater, url, configPath);
        const { version } = updateInfo;
        if (!isUpdateAvailable) setState({ step: "current" });
        else if (keys.length === 0) setState({ step: "manual", version, url });
        else {
          approved = await approveUpdate(url, updateInfo, approval);
          setState({ step: "available", version });
        }
      } catch (error) {
        failConnection(error);
      }
    },
    async download() {
      const shown = state();
      if (shown.step !== "available") return;
      const { version } = shown;
      setState({ step: "downloading", version, progress: 0 });
      try {
        checkOnline(checkedFeed);
        downloaded = await approveDownload(
          (await (await updater)?.downloadUpdate()) ?? [],
          approved,
        );
        setState({ step: "ready", version });
      } catch (error) {
        failConnection(error);
      }
    },
    async install() {
      const loadedUpdater = await updater;
      if (state().step !== "ready" || loadedUpdater === undefined || downloaded === undefined)
        return;
      try {
        // Checked again: other programs of this user can write to its folder.
        await checkFile(downloaded.path, downloaded.file);
      } catch (error) {
        fail(error);
        return;
      }
      quitThen((quitNow) => {
        forceQuit = quitNow;
        loadedUpdater.quitAndInstall();
      });
    },
  };
}

/** Electron's error for a connection that was refused or ended does not say why. */
function refusalOr(error: unknown, checkOnline: () => void): unknown {
  try {
    checkOnline();
    return error;
  } catch (refusal) {
    return refusal;
  }
}

/** The state that is shown. */
function createUpdateStatus(onChange: () => void) {
  let state: UpdateState = { step: "idle" };
  function setState(next: UpdateState): void {
    state = next;
    onChange();
  }
  return {
    state: () => state,
    setState,
    setProgress(progress: number): void {
      if (state.step === "downloading") setState({ ...state, progress });
    },
    fail: (error: unknown): void =>
      setState({
        step: "failed",
        ...(error instanceof AppError ? error.sent : { message: firstLine(error) }),
      }),
  };
}

const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);

function configure(updater: Updater): Updater {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  // A web installer would download a second file that is not in the manifest.
  updater.disableWebInstaller = true;
  return updater;
}

/** @throws Error with a message for the user */
async function checkFeed(
  updater: Updater,
  url: string,
  configPath: string,
): Promise<UpdateCheckResult> {
  // JSON is valid YAML, which electron-updater expects.
  await writeFile(
    configPath,
    JSON.stringify({ provider: "generic", url, updaterCacheDirName: cacheDirName }),
  );
  updater.updateConfigPath = configPath;
  const checkResult = await updater.checkForUpdates();
  // Null if the app is not installed.
  if (checkResult === null) throw new AppError("update.notInstalled");
  return checkResult;
}

/** A CommonJS module, so its exports are on `default`. */
const loadUpdater = async (): Promise<Updater> =>
  (await import("electron-updater")).default.autoUpdater;
