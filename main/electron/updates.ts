// Updates, each step asked for: looked for at the address the person gave, fetched, installed. electron-updater is
// loaded when it is first needed; what goes wrong is part of the state. It believes its server: here nothing is offered
// or installed that the publisher did not sign (update-manifest.ts).

import type { KeyObject } from "node:crypto";
import { rm } from "node:fs/promises";
import type { AppUpdater, UpdateInfo } from "electron-updater";
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
  /** The preference: an https address; empty: none. */
  feed(): string;
  /** The updater reads its address from a file, which is written here. */
  configPath: string;
  /** That runs. */
  version: string;
  /** Of the publisher: without any, nothing is installed. */
  keys: readonly KeyObject[];
  readFeedFile: ReadFeedFile;
  machine?: Machine;
  onChange(): void;
  /** Pages may object, and what runs is to end, before the new version takes its place. */
  quitThen: Quit["quitThen"];
  load?(): Promise<Updater>;
};

export type Updates = {
  state(): UpdateState;
  check(): Promise<void>;
  /** Does nothing where none is available. */
  download(): Promise<void>;
  /** Does nothing where none was fetched. */
  install(): Promise<void>;
};

/** Of what is fetched, below the system's caches. */
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
  /** Signed, newer, and what the updater is about to fetch. */
  let approved: UpdateManifest | undefined;
  let downloaded: { path: string; file: ManifestFile } | undefined;
  /** While it is being installed the app can no longer continue. */
  let forceQuit: (() => void) | undefined;

  function setState(next: UpdateState): void {
    state = next;
    onChange();
  }

  const fail = (error: unknown): void =>
    setState({
      step: "failed",
      message: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error),
    });

  async function prepare(): Promise<Updater> {
    const loaded = await load();
    loaded.autoDownload = false;
    loaded.autoInstallOnAppQuit = false;
    // It would fetch a second file that no list names.
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

  /** @throws Error with a sentence for the person */
  async function approve(url: string, offered: UpdateInfo): Promise<UpdateManifest> {
    const manifest = await readSignedManifest(url, keys, machine, readFeedFile);
    if (!isNewer(manifest.version, runningVersion))
      throw new Error(
        `The signed update is version ${manifest.version}, which is not newer than this one. It was not installed.`,
      );
    if (
      offered.version !== manifest.version ||
      offered.files.length === 0 ||
      !offered.files.every((file) => isInManifest(manifest, file))
    )
      throw changedUpdateError();
    return manifest;
  }

  /** The one file that was fetched, once it was found to be the signed one. @throws Error where it is not */
  async function approvedFile(paths: readonly string[]): Promise<typeof downloaded> {
    const [path, ...more] = paths;
    if (path === undefined || more.length > 0 || approved === undefined) throw changedUpdateError();
    const { sizeBytes, sha512 } = await describeFile(path, "");
    // The updater chose which of the release's files this system needs, and may have given it another name.
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
        // JSON is YAML, which it expects.
        await writeFile(
          configPath,
          JSON.stringify({ provider: "generic", url, updaterCacheDirName: cacheDirName }),
        );
        loadedUpdater.updateConfigPath = configPath;
        const checkResult = await loadedUpdater.checkForUpdates();
        // Nothing comes of it where the app is not installed.
        if (checkResult === null) throw new Error("Only an installed Hearsay can be updated.");
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
        // It lies in a folder that other programs of this person write to.
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

/** What the updater fetches is named in the manifest, with the same content. */
function isInManifest({ files }: UpdateManifest, offered: UpdateInfo["files"][number]): boolean {
  return files.some(
    ({ name, sizeBytes, sha512 }) =>
      name === offered.url &&
      sha512 === offered.sha512 &&
      (offered.size === undefined || offered.size === sizeBytes),
  );
}

/** It is a CommonJS module: its one name is the default's. */
const loadUpdater = async (): Promise<Updater> =>
  (await import("electron-updater")).default.autoUpdater;
