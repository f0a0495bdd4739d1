// Updates: check at the address from the preferences, download and install, each on request only. Errors become part of
// the state. electron-updater trusts its server, so nothing is offered or installed unless the publisher signed it
// (update-manifest.ts).

import type { KeyObject } from "node:crypto";
import { rm } from "node:fs/promises";
import type { AppUpdater, UpdateInfo } from "electron-updater";
import { AppError } from "../contract/errors.ts";
import type { UpdateState } from "../contract/shell-bridge.ts";
import { writeFile } from "../storage/disk.ts";
import type { Quit } from "./quit.ts";
import { type ReadFeedFile, readSignedManifest } from "./update-feed.ts";
import {
  checkFile,
  describeFile,
  isNewer,
  type Machine,
  type ManifestFile,
  changedUpdateError,
  type UpdateManifest,
} from "./update-manifest.ts";

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
  configPath,
  version: runningVersion,
  keys,
  readFeedFile,
  machine = thisMachine,
  onChange,
  quitThen,
  load = loadUpdater,
}: UpdatesDeps): Updates {
  let state: UpdateState = { step: "idle" };
  let updater: Promise<Updater> | undefined;
  /** The signed, newer release that electron-updater is going to download. */
  let approved: UpdateManifest | undefined;
  let downloaded: { path: string; file: ManifestFile } | undefined;
  /** Set during the installation: after an error the app must quit. */
  let forceQuit: (() => void) | undefined;

  function setState(next: UpdateState): void {
    state = next;
    onChange();
  }

  const fail = (error: unknown): void =>
    setState({
      step: "failed",
      ...(error instanceof AppError
        ? error.sent
        : {
            message: (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "",
          }),
    });

  async function prepare(): Promise<Updater> {
    const loaded = await load();
    loaded.autoDownload = false;
    loaded.autoInstallOnAppQuit = false;
    // A web installer would download a second file that is not in the manifest.
    loaded.disableWebInstaller = true;
    loaded.on("download-progress", ({ percent }) => {
      if (state.step === "downloading") setState({ ...state, progress: percent / 100 });
    });
    loaded.on("error", (error) => {
      fail(error);
      forceQuit?.();
    });
    return loaded;
  }

  /** @throws Error with a message for the user */
  async function approve(url: string, offered: UpdateInfo): Promise<UpdateManifest> {
    const manifest = await readSignedManifest(url, keys, machine, readFeedFile);
    if (!isNewer(manifest.version, runningVersion))
      throw new AppError("update.older", { version: manifest.version });
    if (
      offered.version !== manifest.version ||
      offered.files.length === 0 ||
      !offered.files.every((file) => isInManifest(manifest, file))
    )
      throw changedUpdateError();
    return manifest;
  }

  /** The single downloaded file, if it matches the signed one. @throws Error if it does not */
  async function approvedFile(paths: readonly string[]): Promise<typeof downloaded> {
    const [path, ...more] = paths;
    if (path === undefined || more.length > 0 || approved === undefined) throw changedUpdateError();
    const { sizeBytes, sha512 } = await describeFile(path, "");
    // Compare content only: the updater chose one of the release's files and may have renamed it.
    const file = approved.files.find((one) => one.sizeBytes === sizeBytes && one.sha512 === sha512);
    if (file !== undefined) return { path, file };
    await rm(path, { force: true });
    throw changedUpdateError();
  }

  return {
    state: () => state,
    async check() {
      if (state.step === "checking" || state.step === "downloading") return;
      const url = feed();
      if (url === "") {
        setState({ step: "idle" });
        return;
      }
      setState({ step: "checking" });
      [approved, downloaded] = [undefined, undefined];
      try {
        const loadedUpdater = await (updater ??= prepare());
        // JSON is valid YAML, which electron-updater expects.
        await writeFile(
          configPath,
          JSON.stringify({ provider: "generic", url, updaterCacheDirName: cacheDirName }),
        );
        loadedUpdater.updateConfigPath = configPath;
        const checkResult = await loadedUpdater.checkForUpdates();
        // Null if the app is not installed.
        if (checkResult === null) throw new AppError("update.notInstalled");
        const { version } = checkResult.updateInfo;
        if (!checkResult.isUpdateAvailable) setState({ step: "current" });
        else if (keys.length === 0) setState({ step: "manual", version, url });
        else {
          approved = await approve(url, checkResult.updateInfo);
          setState({ step: "available", version });
        }
      } catch (error) {
        fail(error);
      }
    },
    async download() {
      if (state.step !== "available") return;
      const { version } = state;
      setState({ step: "downloading", version, progress: 0 });
      try {
        downloaded = await approvedFile((await (await updater)?.downloadUpdate()) ?? []);
        setState({ step: "ready", version });
      } catch (error) {
        fail(error);
      }
    },
    async install() {
      const loadedUpdater = await updater;
      if (state.step !== "ready" || loadedUpdater === undefined || downloaded === undefined) return;
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

/** True if the manifest contains the offered file with the same content. */
function isInManifest({ files }: UpdateManifest, offered: UpdateInfo["files"][number]): boolean {
  return files.some(
    ({ name, sizeBytes, sha512 }) =>
      name === offered.url &&
      sha512 === offered.sha512 &&
      (offered.size === undefined || offered.size === sizeBytes),
  );
}

/** A CommonJS module, so its exports are on `default`. */
const loadUpdater = async (): Promise<Updater> =>
  (await import("electron-updater")).default.autoUpdater;
