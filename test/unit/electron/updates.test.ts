// Updates over a fake electron-updater: what is offered, downloaded and installed, and what is rejected although the
// server offers it.

import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { EventEmitter } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import type { SentMessage } from "../../../main/contract/messages/messages.ts";
import type { UpdateState } from "../../../main/contract/desktop-bridge.ts";
import {
  type Machine,
  signManifest,
  type UpdateManifest,
} from "../../../main/electron/update-manifest.ts";
import { createUpdates, type UpdatesDeps } from "../../../main/electron/updates.ts";
import { createOutbound } from "../../../main/network/outbound.ts";
import { openTestFolder } from "../../support/test-data.ts";

const machine: Machine = { system: "win32", arch: "x64" };
const publisher = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("ed25519");
const installer = Buffer.from("the installer of 1.2.0");
const name = "hearsay-1.2.0-win-x64.exe";
const fileOf = (bytes: Buffer) => ({
  sha512: createHash("sha512").update(bytes).digest("base64"),
  size: bytes.length,
});

/** Behaves like electron-updater where it matters: it trusts its server and reports each failure twice. */
class Updater extends EventEmitter {
  autoDownload = true;
  autoInstallOnAppQuit = true;
  disableWebInstaller = false;
  feeds: unknown[] = [];
  installs = 0;
  readonly path: string;
  bytes = installer;
  info: object = { version: "1.2.0", files: [{ url: name, ...fileOf(installer) }] };
  isUpdateAvailable = true;
  constructor(path: string) {
    super();
    this.path = path;
  }
  find: () => Promise<unknown> = async () => ({
    isUpdateAvailable: this.isUpdateAvailable,
    updateInfo: this.info,
  });
  fetch: () => Promise<string[]> = async () => {
    this.emit("download-progress", { percent: 40 });
    writeFileSync(this.path, this.bytes);
    return [this.path];
  };
  set updateConfigPath(path: string) {
    this.feeds.push(JSON.parse(readFileSync(path, "utf8")));
  }
  checkForUpdates = (): Promise<unknown> => this.find();
  downloadUpdate = (): Promise<string[]> => this.fetch();
  quitAndInstall = (): void => void (this.installs += 1);
}

type Options = {
  feed?: string;
  keys?: readonly KeyObject[];
  running?: string;
  signedBy?: KeyObject;
  manifest?: Partial<UpdateManifest>;
  /** Files on the server besides the packages. */
  alter?(name: string, content: Buffer): Buffer;
  isOffline?(): boolean;
};

async function open({
  feed = "https://updates.test/hearsay/",
  keys = [publisher.publicKey],
  running = "1.1.0",
  signedBy = publisher.privateKey,
  manifest = {},
  alter = (_name, content) => content,
  isOffline = () => false,
}: Options = {}) {
  const folder = await openTestFolder();
  const path = join(folder, name);
  const updater = new Updater(path);
  const seen: UpdateState[] = [];
  const read: string[] = [];
  let loads = 0;
  let ends = 0;
  let givenUp = 0;
  const { size, sha512 } = fileOf(installer);
  const { bytes, signature } = signManifest(
    {
      kind: "hearsay-update",
      version: "1.2.0",
      date: "2026-11-22T12:00:00Z",
      ...machine,
      files: [{ name, sizeBytes: size, sha512 }],
      ...manifest,
    },
    signedBy,
  );
  const updates = createUpdates({
    feed: () => feed,
    checkOnline: (url) => createOutbound(() => isOffline(), { add() {} }).check(url),
    configPath: join(folder, "updates.yml"),
    version: running,
    keys,
    machine,
    readFeedFile: async (url) => {
      read.push(url);
      return alter(url, url.endsWith(".sig") ? Buffer.from(signature) : bytes);
    },
    onChange: () => seen.push(updates.state()),
    quitThen(last) {
      ends += 1;
      last(() => (givenUp += 1));
    },
    load: (async () => {
      loads += 1;
      return updater;
    }) as unknown as NonNullable<UpdatesDeps["load"]>,
  });
  return {
    updates,
    updater,
    seen,
    read,
    path,
    counts: () => ({ loads, ends, installs: updater.installs }),
    givenUp: () => givenUp,
  };
}

const failed = (message: SentMessage) => ({ step: "failed", ...message }) as const;
const offline = failed(createMessage("offline.refused", { host: "updates.test" }));
const unsigned = failed(createMessage("update.unsigned"));
const changed = failed(createMessage("update.changed"));

it("loads, checks and downloads nothing on its own", async () => {
  const { updates, updater, counts } = await open();
  await updates.download();
  await updates.install();
  expect(updates.state()).toEqual({ step: "idle" });
  expect(counts()).toEqual({ loads: 0, ends: 0, installs: 0 });
  await updates.check();
  expect([updater.autoDownload, updater.autoInstallOnAppQuit, updater.disableWebInstaller]).toEqual(
    [false, false, true],
  );
});

it("sends no request without an update address", async () => {
  const { updates, counts } = await open({ feed: "" });
  await updates.check();
  expect([updates.state(), counts().loads]).toEqual([{ step: "idle" }, 0]);
});

it("finds, downloads and installs an update, each step on request, after the app has closed", async () => {
  const { updates, updater, seen, read, counts } = await open();
  await updates.check();
  expect(updates.state()).toEqual({ step: "available", version: "1.2.0" });
  expect(read).toEqual([
    "https://updates.test/hearsay/update-win32-x64.json",
    "https://updates.test/hearsay/update-win32-x64.json.sig",
  ]);
  await updates.download();
  expect(updates.state()).toEqual({ step: "ready", version: "1.2.0" });
  await updates.install();
  expect(counts()).toEqual({ loads: 1, ends: 1, installs: 1 });
  expect(updater.feeds).toEqual([
    {
      provider: "generic",
      url: "https://updates.test/hearsay/",
      updaterCacheDirName: "hearsay-updater",
    },
  ]);
  expect(seen).toEqual([
    { step: "checking" },
    { step: "available", version: "1.2.0" },
    { step: "downloading", version: "1.2.0", progress: 0 },
    { step: "downloading", version: "1.2.0", progress: 0.4 },
    { step: "ready", version: "1.2.0" },
  ]);
});

it("requests nothing while Offline is on, and says why", async () => {
  const { updates, updater, read, counts } = await open({ isOffline: () => true });
  await updates.check();
  expect(updates.state()).toEqual(offline);
  expect([updater.feeds, read, counts().loads]).toEqual([[], [], 0]);
});

it("says why a download ended when Offline was switched on", async () => {
  let isOffline = false;
  const { updates, updater } = await open({ isOffline: () => isOffline });
  await updates.check();
  updater.fetch = async () => {
    isOffline = true;
    throw new Error("net::ERR_ABORTED");
  };
  await updates.download();
  expect(updates.state()).toEqual(offline);
});

it("reports that there is no update, without requesting a manifest", async () => {
  const { updates, updater, read } = await open();
  updater.isUpdateAvailable = false;
  await updates.check();
  expect([updates.state(), read]).toEqual([{ step: "current" }, []]);
});

it("cannot download or install without a publisher’s key, and reports the address of the update", async () => {
  const { updates, read, counts } = await open({ keys: [] });
  await updates.check();
  expect(updates.state()).toEqual({
    step: "manual",
    version: "1.2.0",
    url: "https://updates.test/hearsay/",
  });
  await updates.download();
  await updates.install();
  expect([updates.state().step, read, counts().installs]).toEqual(["manual", [], 0]);
});

it("accepts a signature by any of several keys", async () => {
  const { updates } = await open({ keys: [stranger.publicKey, publisher.publicKey] });
  await updates.check();
  expect(updates.state().step).toBe("available");
});

it.each<[string, Options, object]>([
  ["signed with another key", { signedBy: stranger.privateKey }, unsigned],
  [
    "whose description was changed after it was signed",
    {
      alter: (url, content) =>
        url.endsWith(".sig") ? content : Buffer.from(content.toString().replace("1.2.0", "1.2.1")),
    },
    unsigned,
  ],
  [
    "with a signature that is none",
    { alter: (url, content) => (url.endsWith(".sig") ? Buffer.from("Zm9v") : content) },
    unsigned,
  ],
  [
    "for another system",
    { manifest: { system: "linux" } },
    failed(createMessage("update.otherMachine")),
  ],
  [
    "that is an older release, replayed",
    { running: "1.10.0" },
    failed(createMessage("update.older", { version: "1.2.0" })),
  ],
  [
    "that is the same release again",
    { running: "1.2.0" },
    failed(createMessage("update.older", { version: "1.2.0" })),
  ],
  ["whose version is not the signed one", { manifest: { version: "1.3.0" } }, changed],
  [
    "whose file is not among the signed ones",
    {
      manifest: { files: [{ name: "other.exe", sizeBytes: 5, sha512: fileOf(installer).sha512 }] },
    },
    changed,
  ],
  [
    "whose file has another hash",
    {
      manifest: {
        files: [{ name, sizeBytes: installer.length, sha512: fileOf(Buffer.from("x")).sha512 }],
      },
    },
    changed,
  ],
  [
    "whose file has another size",
    { manifest: { files: [{ name, sizeBytes: 5, sha512: fileOf(installer).sha512 }] } },
    changed,
  ],
])("rejects an update %s", async (_how, options, state) => {
  const { updates, counts } = await open(options);
  await updates.check();
  expect(updates.state()).toEqual(state);
  await updates.download();
  await updates.install();
  expect([updates.state(), counts().installs]).toEqual([state, 0]);
});

it("rejects an update that lists no file, or lists one by a path", async () => {
  for (const files of [
    [],
    [{ url: `../${name}`, ...fileOf(installer) }],
    [{ url: `https://elsewhere.test/${name}`, ...fileOf(installer) }],
  ]) {
    const { updates, updater } = await open();
    updater.info = { version: "1.2.0", files };
    await updates.check();
    expect(updates.state()).toEqual(changed);
  }
});

it("rejects and removes a downloaded file that differs from the signed one", async () => {
  const { updates, updater, path, counts } = await open();
  updater.bytes = Buffer.from("the installer of somebody else");
  await updates.check();
  await updates.download();
  expect([updates.state(), existsSync(path)]).toEqual([changed, false]);
  await updates.install();
  expect(counts()).toMatchObject({ ends: 0, installs: 0 });
});

it("rejects a second file that is not signed", async () => {
  const { updates, updater, path } = await open();
  await updates.check();
  updater.fetch = async () => [path, `${path}.7z`];
  await updates.download();
  expect(updates.state()).toEqual(changed);
});

it("rejects a file that changed between download and installation", async () => {
  const { updates, path, counts } = await open();
  await updates.check();
  await updates.download();
  writeFileSync(path, "the installer of 1.2.O");
  await updates.install();
  expect(updates.state()).toEqual(changed);
  expect(counts()).toMatchObject({ ends: 0, installs: 0 });
});

it("discards the approval of an earlier check when it checks again", async () => {
  let isGood = true;
  const { updates, counts } = await open({
    alter: (url, content) => (isGood || url.endsWith(".sig") ? content : Buffer.from("{}")),
  });
  await updates.check();
  await updates.download();
  isGood = false;
  await updates.check();
  await updates.install();
  expect([updates.state(), counts().installs]).toEqual([unsigned, 0]);
});

it("reports a failure as its state, and can be retried", async () => {
  const { updates, updater } = await open();
  const find = updater.find;
  updater.find = async () =>
    Promise.reject(new Error("net::ERR_NAME_NOT_RESOLVED\n    at somewhere"));
  await updates.check();
  expect(updates.state()).toEqual({ step: "failed", message: "net::ERR_NAME_NOT_RESOLVED" });
  updater.find = find;
  await updates.check();
  updater.fetch = async () => Promise.reject(new Error("sha512 checksum mismatch"));
  await updates.download();
  expect(updates.state()).toEqual({ step: "failed", message: "sha512 checksum mismatch" });
});

it("reports that an app that is not installed cannot be updated", async () => {
  const { updates, updater } = await open();
  updater.checkForUpdates = async () => null;
  await updates.check();
  expect(updates.state()).toEqual(failed(createMessage("update.notInstalled")));
});

it("gives up the quit when an update cannot be installed", async () => {
  const { updates, updater, givenUp } = await open();
  await updates.check();
  updater.quitAndInstall = () => void updater.emit("error", new Error("the file is gone"));
  await updates.download();
  expect(givenUp()).toBe(0);
  await updates.install();
  expect([givenUp(), updates.state()]).toEqual([
    1,
    { step: "failed", message: "the file is gone" },
  ]);
});
