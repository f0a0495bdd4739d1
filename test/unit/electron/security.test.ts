// The restrictions on pages, tested on the code of main/electron itself.

import { join } from "node:path";
import { expect, it, vi } from "vitest";
import {
  app,
  contextBridge,
  fake,
  type FakeEvent,
  invokeFrom,
  ipcRenderer,
  session,
  shell,
  WebContents,
} from "../../support/fake-electron.ts";
import { type BridgeActions, openBridge } from "../../../main/electron/bridge.ts";
import { requestNames, pushNames } from "../../../main/electron/ipc-names.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { guardNavigation, isAllowedInBrowser } from "../../../main/electron/navigation.ts";
import { createOutbox } from "../../../main/electron/outbox.ts";
import { guardPermissions, canCaptureSystemAudio } from "../../../main/electron/permissions.ts";
import { webPreferences } from "../../../main/electron/web-preferences.ts";

const origin = "http://127.0.0.1:4711";

it.each([
  ["contextIsolation", true],
  ["sandbox", true],
  ["nodeIntegration", false],
  ["nodeIntegrationInWorker", false],
  ["nodeIntegrationInSubFrames", false],
  ["webSecurity", true],
  ["webviewTag", false],
  ["allowRunningInsecureContent", false],
  ["experimentalFeatures", false],
  ["navigateOnDragDrop", false],
  ["spellcheck", false],
  ["disableBlinkFeatures", "Auxclick"],
  ["enableBlinkFeatures", undefined],
  ["additionalArguments", undefined],
] as const)("runs pages with %s %s", (name, value) => {
  expect(webPreferences[name]).toBe(value);
});

it("gives pages a separate partition that exists only in memory", () => {
  expect(webPreferences.partition).toBe("ui");
});

it("gives pages one preload script, a CommonJS file next to main/electron", () => {
  expect(webPreferences.preload).toBe(
    join(import.meta.dirname, "..", "..", "..", "main", "electron", "preload.cjs"),
  );
});

it("exposes only a few functions in the preload script and nothing of Electron", async () => {
  const contents = new WebContents(webPreferences as never);
  const exposed = vi
    .spyOn(contextBridge, "exposeInMainWorld")
    .mockImplementation((name, api) => void (contents.mainWorld[name] = api));
  await import("../../../main/electron/preload.ts");
  exposed.mockRestore();
  expect(Object.keys(contents.mainWorld)).toEqual(["hearsayDesktop"]);
  const given = contents.mainWorld["hearsayDesktop"] as Record<string, unknown>;
  expect(Object.keys(given).sort()).toEqual([
    "checkForUpdate",
    "dictated",
    "downloadUpdate",
    "installUpdate",
    "offerMonitors",
    "onCommand",
    "onDictationStop",
    "onState",
    "openCaptions",
    "openFolder",
    "pickFolder",
    "setOpensAtLogin",
    "setRecording",
    "showItem",
    "state",
  ]);
  expect(
    Object.values(given).every(
      (value) => typeof value === "function" && value !== ipcRenderer.invoke,
    ),
  ).toBe(true);
});

const ownSession = session.fromPartition("ui");
let hasMicrophone = true;
guardPermissions(ownSession as never, origin, async () => hasMicrophone);
const page = (url: string): WebContents => {
  const contents = new WebContents({});
  contents.mainFrame.url = url;
  return contents;
};
const ours = page(`${origin}/#/transcribe`);
const request = (permission: string, details: object, contents = ours): Promise<boolean> =>
  new Promise((answer) =>
    ownSession.requestHandler?.(contents as never, permission as never, answer, {
      isMainFrame: true,
      requestingUrl: `${origin}/`,
      ...details,
    } as never),
  );
const check = (
  permission: string,
  details: object,
  from = `${origin}/`,
  contents: WebContents | null = ours,
): boolean =>
  ownSession.checkHandler?.(contents as never, permission as never, from, {
    isMainFrame: true,
    ...details,
  } as never) ?? true;

it.each([
  ["the microphone", "media", { mediaTypes: ["audio"] }, true],
  ["the sound of the system", "display-capture", {}, true],
  ["the clipboard to write to", "clipboard-sanitized-write", {}, true],
  ["another loudspeaker", "speaker-selection", {}, true],
  ["the camera", "media", { mediaTypes: ["video"] }, false],
  ["the camera with the microphone", "media", { mediaTypes: ["audio", "video"] }, false],
  ["media of no kind", "media", {}, false],
  ["the microphone in a frame", "media", { mediaTypes: ["audio"], isMainFrame: false }, false],
  [
    "the microphone for another origin",
    "media",
    { mediaTypes: ["audio"], requestingUrl: "http://127.0.0.1:4712/" },
    false,
  ],
  ["the clipboard to read", "clipboard-read", {}, false],
  ["the place", "geolocation", {}, false],
  ["notifications", "notifications", {}, false],
  ["USB", "usb", {}, false],
  ["other programs", "openExternal", {}, false],
  ["files", "fileSystem", {}, false],
] as const)(
  "decides correctly on a permission request for %s",
  async (_what, permission, details, isGranted) => {
    expect(await request(permission, details)).toBe(isGranted);
  },
);

it("denies permission requests of foreign pages, whatever address they claim", async () => {
  expect(await request("media", { mediaTypes: ["audio"] }, page("https://evil.test/"))).toBe(false);
});

it("denies the microphone where the system denies it", async () => {
  hasMicrophone = false;
  expect(await request("media", { mediaTypes: ["audio"] })).toBe(false);
});

it.each([
  ["the microphone", "media", { mediaType: "audio" }, true],
  ["the sound of the system", "display-capture", {}, true],
  ["the camera", "media", { mediaType: "video" }, false],
  ["media of no kind", "media", { mediaType: "unknown" }, false],
  ["the microphone in a frame", "media", { mediaType: "audio", isMainFrame: false }, false],
  ["HID", "hid", {}, false],
  ["the place", "geolocation", {}, false],
] as const)(
  "decides correctly on a permission check for %s",
  (_what, permission, details, isGranted) => {
    expect(check(permission, details)).toBe(isGranted);
  },
);

it("denies permission checks from a foreign origin or without a page", () => {
  expect([
    check("media", { mediaType: "audio" }, "https://evil.test/"),
    check("media", { mediaType: "audio" }, `${origin}/`, null),
  ]).toEqual([false, false]);
});

it("denies access to all devices", () => {
  expect(ownSession.deviceHandler?.({ deviceType: "hid", origin, device: {} as never })).toBe(
    false,
  );
});

it.each([
  ["our page, asked by a person", {}, { audio: "loopback" }],
  [
    "our page with a picture",
    { videoRequested: true },
    { audio: "loopback", video: ours.mainFrame },
  ],
  ["our page without a person", { userGesture: false }, null],
  ["our page without sound", { audioRequested: false, videoRequested: true }, null],
  ["a frame", { frame: { url: `${origin}/`, parent: {} } }, null],
  ["another origin", { securityOrigin: "https://evil.test/" }, null],
  ["nobody", { frame: null }, null],
])("decides correctly on system audio for %s", (_who, more, streams) => {
  let answer: unknown = "none";
  ownSession.displayHandler?.(
    {
      frame: ours.mainFrame,
      securityOrigin: `${origin}/`,
      userGesture: true,
      audioRequested: true,
      videoRequested: false,
      ...more,
    } as never,
    (given) => (answer = given),
  );
  expect(answer).toEqual(streams);
});

it("offers system audio where Chromium can capture it", () => {
  expect([
    canCaptureSystemAudio("win32", "10.0.22631"),
    canCaptureSystemAudio("linux", "6.8.0"),
    canCaptureSystemAudio("darwin", "22.1.0"),
    canCaptureSystemAudio("darwin", "21.6.0"),
  ]).toEqual([true, true, true, false]);
});

guardNavigation({
  app: app as never,
  shell: shell as never,
  origin,
  apiUrl: () => "http://127.0.0.1:4343/v1",
});
const guarded = new WebContents({});

it("denies new windows", () => {
  expect(guarded.windowOpenHandler?.({ url: `${origin}/` })).toEqual({ action: "deny" });
  expect(fake.openedUrls).toEqual([]);
});

it.each(["link", "redirect", "frame"] as const)(
  "allows a %s to navigate only to our own pages",
  (name) => {
    expect([
      guarded.navigateTo(`${origin}/#/library`, name),
      guarded.navigateTo("http://127.0.0.1:4712/", name),
      guarded.navigateTo("file:///etc/passwd", name),
      guarded.navigateTo("javascript:alert(1)", name),
    ]).toEqual([true, false, false, false]);
  },
);

it("denies webviews", () => {
  const event: FakeEvent = {
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true;
    },
  };
  guarded.emit("will-attach-webview", event);
  expect(event.defaultPrevented).toBe(true);
});

it("opens web links in the browser, once each", () => {
  fake.openedUrls.length = 0;
  guarded.windowOpenHandler?.({ url: "https://huggingface.co/models" });
  guarded.navigateTo("https://example.org/");
  guarded.navigateTo("https://example.org/", "frame");
  expect(fake.openedUrls).toEqual(["https://huggingface.co/models", "https://example.org/"]);
});

it.each([
  ["https://example.org/a?b#c", true],
  ["http://example.org/", false],
  ["https://someone:secret@example.org/", false],
  ["http://127.0.0.1:4343/docs", true],
  ["http://127.0.0.1:4343/docs#speech", true],
  ["http://127.0.0.1:4343/v1/models", false],
  ["http://127.0.0.1:4344/docs", false],
  ["file:///etc/passwd", false],
  ["ms-settings:privacy", false],
  ["smb://server/share", false],
  ["no address", false],
])("decides whether the browser may open %s → %s", (address, isAllowed) => {
  expect(isAllowedInBrowser(address, "http://127.0.0.1:4343/v1")).toBe(isAllowed);
});

const done = async (): Promise<void> => {};
const state = {
  system: "linux",
  keyring: "none",
  dictation: { keys: "off", command: "hearsay --dictate" },
  opensAtLogin: false,
  canOpenAtLogin: false,
  hasSystemSound: true,
  update: { step: "idle" },
  crashReports: 0,
} as const;
const acts: unknown[][] = [];
const note =
  (name: string) =>
  async (...args: unknown[]) => {
    acts.push([name, ...args]);
    return state as never;
  };
const actions: BridgeActions = {
  state: () => state,
  setOpensAtLogin: note("login"),
  checkForUpdate: note("check"),
  downloadUpdate: note("download"),
  installUpdate: done,
  showItem: note("item"),
  openFolder: note("folder"),
  pickFolder: note("pick"),
  offerMonitors: note("monitors"),
  openCaptions: note("captions"),
  dictated: note("dictated"),
  setRecording: (contents, recording) => void acts.push(["recording", contents, recording]),
};
const small = page(`${origin}/dictate`);
const captions = page(`${origin}/captions`);
const endBridge = openBridge({
  origin,
  outbox: createOutbox(),
  actions,
  texts: () => messagesFor("en", ""),
  windowOf: (contents) =>
    contents === (small as never)
      ? "dictation"
      : contents === (captions as never)
        ? "captions"
        : "main",
});

it.each(Object.values(requestNames))(
  "rejects every page except our own in %s, and frames inside it",
  async (name) => {
    const evil = page("https://evil.test/");
    const otherPort = page("http://127.0.0.1:4712/");
    for (const [sender, frame] of [
      [evil, evil.mainFrame],
      [otherPort, otherPort.mainFrame],
      [ours, { origin, url: `${origin}/frame` }],
      [ours, null],
    ] as const) {
      await expect(invokeFrom(sender, frame, name)).rejects.toThrow(/is not for this page/);
    }
    expect(acts).toEqual([]);
  },
);

it.each([
  [requestNames.setOpensAtLogin, ["yes"]],
  [requestNames.setOpensAtLogin, []],
  [requestNames.openFolder, ["/etc"]],
  [requestNames.showItem, [{ path: "/etc/passwd" }]],
  [requestNames.checkForUpdate, ["https://evil.test/"]],
  [requestNames.setRecording, [{ phase: "secretly", sec: 1 }]],
  [requestNames.setRecording, [{ phase: "recording", sec: -1 }]],
  [requestNames.subscribe, ["hearsay:anything"]],
])("rejects the argument of %s: %j", async (name, args) => {
  await expect(invokeFrom(ours, ours.mainFrame, name, ...args)).rejects.toThrow(/Invalid|Too/);
  expect(acts).toEqual([]);
});

it("responds to our page", async () => {
  expect(await invokeFrom(ours, ours.mainFrame, requestNames.state)).toEqual(state);
  await invokeFrom(ours, ours.mainFrame, requestNames.setOpensAtLogin, true);
  await invokeFrom(small, small.mainFrame, requestNames.dictated, "said");
  expect(acts.splice(0)).toEqual([
    ["login", true],
    ["dictated", "said"],
  ]);
});

it("lets the captions offer outputs, and nothing else of the main window", async () => {
  await invokeFrom(captions, captions.mainFrame, requestNames.offerMonitors);
  expect(acts.splice(0)).toEqual([["monitors"]]);
  for (const name of [requestNames.checkForUpdate, requestNames.openCaptions])
    await expect(invokeFrom(captions, captions.mainFrame, name)).rejects.toThrow(/not for this/);
  await expect(
    invokeFrom(captions, captions.mainFrame, requestNames.dictated, "said"),
  ).rejects.toThrow(/not for this/);
  expect(acts).toEqual([]);
});

it("responds to no one after it has ended", async () => {
  endBridge();
  await expect(invokeFrom(ours, ours.mainFrame, requestNames.state)).rejects.toThrow(/No handler/);
  expect(
    Object.values(pushNames).some((name) =>
      (Object.values(requestNames) as string[]).includes(name),
    ),
  ).toBe(false);
});
