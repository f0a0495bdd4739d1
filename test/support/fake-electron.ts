// The part of Electron that main/electron uses, for tests in plain Node: calls are recorded, handlers may be registered
// only once, messages are cloned as between processes, pages are really fetched, preload scripts really run, and
// utility processes are real processes. Electron's types are checked by `satisfies` and `implements`. One long file,
// because importers need a single module.

import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter } from "node:events";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import type * as Electron from "electron";

type Handler = (...args: unknown[]) => unknown;
export type FakeEvent = { defaultPrevented: boolean; preventDefault(): void };

const appDir = resolve(import.meta.dirname, "..", "..");
const newEvent = <More extends object>(more?: More): FakeEvent & More =>
  ({
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true;
    },
    ...more,
  }) as FakeEvent & More;

/** Set by tests before the start, or inspected by them afterwards. */
export const fake = {
  hasLock: true,
  lockData: undefined as unknown,
  isPackaged: false,
  locale: "en-GB",
  paths: new Map<string, string>([["userData", "/nowhere"]]),
  switches: new Map<string, string>(),
  isSandboxed: false,
  exitCode: undefined as number | undefined,
  badgeCount: 0,
  recentDocuments: [] as string[],
  loginItem: { openAtLogin: false, args: [] as string[] },
  crashReporting: undefined as Electron.CrashReporterStartOptions | undefined,
  errors: [] as string[],
  dialogs: [] as Electron.MessageBoxOptions[],
  /** The button that the user chooses. */
  dialogResponse: 0 as number | Promise<number>,
  pickedPaths: [] as string[],
  openDialogs: [] as Electron.OpenDialogOptions[],
  openedUrls: [] as string[],
  openedFolders: [] as string[],
  clipboard: "",
  /** Callbacks by accelerator. */
  shortcuts: new Map<string, () => void>(),
  unavailableShortcuts: new Set<string>(),
  notifications: [] as Notification[],
  hasNotifications: true,
  trays: [] as Tray[],
  hasTray: true,
  menu: undefined as FakeMenu | undefined,
  blockers: new Set<number>(),
  displays: [{ x: 0, y: 0, width: 1920, height: 1080 }] as Electron.Rectangle[],
  keyring: {
    isAvailable: true,
    isLocked: false,
    backend: "gnome_libsecret" as ReturnType<Electron.SafeStorage["getSelectedStorageBackend"]>,
    key: "a",
    rotated: undefined as string | undefined,
  },
  /** Of the system, as Chromium lists them. */
  proxies: "DIRECT",
  isTrusted: true,
  /** macOS: the user grants the app access to the microphone. */
  allowsMicrophone: true,
  exited: Promise.withResolvers<void>(),
  /** Whether "ready-to-show" is emitted for a hidden window. Under Wayland it is not. */
  emitsReadyWhenHidden: true,
  /** The system's error when a folder cannot be opened. */
  openPathError: "",
  /** Page loads in progress. */
  pageLoads: [] as Promise<void>[],
};

class FakeApp extends EventEmitter {
  #isReady = false;
  name = "hearsay";
  dock = undefined;
  get isPackaged() {
    return fake.isPackaged;
  }
  commandLine = {
    appendSwitch: (name: string, value = "") => void fake.switches.set(name, value),
    getSwitchValue: (name: string) => fake.switches.get(name) ?? "",
  } satisfies Partial<Electron.CommandLine>;

  methods = {
    getAppPath: () => appDir,
    getLocale: () => fake.locale,
    resolveProxy: async (_url: string) => fake.proxies,
    getVersion: () => "0.1.0",
    getPath: (name: string) => fake.paths.get(name) ?? "",
    setPath: (name: string, path: string) => void fake.paths.set(name, path),
    requestSingleInstanceLock: (data?: Record<never, never>) => {
      fake.lockData = structuredClone(data);
      return fake.hasLock;
    },
    whenReady: async () => {
      // Electron becomes ready only after its entry module has run.
      await new Promise((next) => setImmediate(next));
      this.#isReady = true;
    },
    isReady: () => this.#isReady,
    enableSandbox: () => void (fake.isSandboxed = true),
    setAppUserModelId() {},
    addRecentDocument: (path: string) => void fake.recentDocuments.push(path),
    setBadgeCount: (count = 0) => {
      fake.badgeCount = count;
      return true;
    },
    getLoginItemSettings: () => ({
      openAtLogin: fake.loginItem.openAtLogin,
      wasOpenedAtLogin: false,
      status: "not-found",
      executableWillLaunchAtLogin: false,
      launchItems: [],
    }),
    setLoginItemSettings: ({ openAtLogin = false, args = [] }: Electron.Settings) =>
      void (fake.loginItem = { openAtLogin, args }),
    exit: (code = 0) => {
      fake.exitCode = code;
      fake.exited.resolve();
    },
    quit: () => {
      if (emitPreventable(this, "before-quit")) return;
      for (const window of BrowserWindow.all) window.close();
      if (BrowserWindow.all.size > 0 || emitPreventable(this, "will-quit")) return;
      fake.exitCode = 0;
      this.emit("quit", newEvent(), 0);
      fake.exited.resolve();
    },
  } satisfies Partial<Electron.App>;
}

function emitPreventable(emitter: EventEmitter, name: string, ...args: unknown[]): boolean {
  const event = newEvent();
  emitter.emit(name, event, ...args);
  return event.defaultPrevented;
}

const appObject = new FakeApp();
export const app = Object.assign(appObject, appObject.methods);

/** The page whose preload script or call is currently running. */
let activeContents: WebContents | undefined;

class FakeFrame {
  url = "";
  parent: FakeFrame | null = null;
  get origin(): string {
    return URL.parse(this.url)?.origin ?? "null";
  }
}

export class WebContents
  extends EventEmitter
  implements Pick<Electron.WebContents, "send" | "getURL" | "isDestroyed" | "isCrashed" | "reload">
{
  readonly mainFrame = new FakeFrame();
  /** The values that the preload script exposes to the page. */
  readonly mainWorld: Record<string, unknown> = {};
  readonly ipc = new EventEmitter();
  readonly sent: { name: string; value: unknown }[] = [];
  readonly preferences: Electron.WebPreferences;
  windowOpenHandler: ((details: { url: string }) => { action: string }) | undefined;
  /** The last response to a page load. */
  response: { status: number; text: string } | undefined;
  reloads = 0;
  crashed = false;
  destroyed = false;

  constructor(preferences: Electron.WebPreferences) {
    super();
    // A copy, because a test may change the preferences of one page.
    this.preferences = { ...preferences };
    app.emit("web-contents-created", newEvent(), this);
  }
  send(name: string, ...args: unknown[]): void {
    const [value] = structuredClone(args);
    this.sent.push({ name, value });
    this.ipc.emit(name, newEvent(), value);
  }
  getURL = (): string => this.mainFrame.url;
  isDestroyed = (): boolean => this.destroyed;
  isCrashed = (): boolean => this.crashed;
  reload(): void {
    this.reloads += 1;
    this.crashed = false;
  }
  setWindowOpenHandler(windowOpenHandler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = windowOpenHandler;
  }
  /** Navigates as a page's link, redirect or frame would. @returns whether navigation was allowed */
  navigateTo(url: string, trigger: "link" | "redirect" | "frame" = "link"): boolean {
    const isAllowed = (name: string): boolean => {
      const details = newEvent({ url, isMainFrame: trigger !== "frame" });
      this.emit(name, details);
      return !details.defaultPrevented;
    };
    if (trigger === "redirect") return isAllowed("will-redirect");
    // "will-navigate" is not emitted if "will-frame-navigate" was prevented.
    return isAllowed("will-frame-navigate") && (trigger === "frame" || isAllowed("will-navigate"));
  }
  async load(url: string): Promise<void> {
    this.emit("did-start-navigation", newEvent({ url, isMainFrame: true, isSameDocument: false }));
    const cookieJar = session.fromPartition(this.preferences.partition ?? "").cookieJar;
    const response = await fetch(url, {
      headers: { cookie: cookieJar.map(({ name, value }) => `${name}=${value}`).join("; ") },
    });
    this.response = { status: response.status, text: await response.text() };
    this.mainFrame.url = url;
    const { preload } = this.preferences;
    if (preload !== undefined) await runPreload(preload, this);
  }
}

let preloadCount = 0;
/** Runs the source file if the script is not bundled. Each page loads its own copy of the module. */
async function runPreload(path: string, contents: WebContents): Promise<void> {
  preloadCount += 1;
  activeContents = contents;
  await import(`${pathToFileURL(path.replace(/\.cjs$/, ".ts")).href}?page=${preloadCount}`);
}

export const contextBridge = {
  exposeInMainWorld(name: string, api: Record<string, Handler>) {
    const contents = activeContents;
    if (contents === undefined) throw new Error("no page is loading");
    contents.mainWorld[name] = Object.fromEntries(
      Object.entries(api).map(([key, callback]) => [
        key,
        (...args: unknown[]) => {
          activeContents = contents;
          return callback(...args);
        },
      ]),
    );
  },
} satisfies Partial<Electron.ContextBridge>;

export const ipcRenderer = {
  invoke: (name: string, ...args: unknown[]) =>
    activeContents === undefined
      ? Promise.reject(new Error("no page is active"))
      : invokeFrom(activeContents, activeContents.mainFrame, name, ...args).catch(
          (error: unknown) =>
            Promise.reject(new Error(`Error invoking remote method '${name}': ${String(error)}`)),
        ),
  on(name: string, listener: Handler) {
    activeContents?.ipc.on(name, listener);
    return this;
  },
  removeListener(name: string, listener: Handler) {
    activeContents?.ipc.removeListener(name, listener);
    return this;
  },
};

const handlers = new Map<string, Handler>();
export const ipcMain = {
  handle(name: string, handler: (event: Electron.IpcMainInvokeEvent, ...args: never[]) => unknown) {
    if (handlers.has(name)) throw new Error(`Attempted to register a second handler for '${name}'`);
    handlers.set(name, handler as Handler);
  },
  removeHandler: (name: string) => void handlers.delete(name),
} satisfies Partial<Electron.IpcMain>;

/** Calls a handler as any frame of a page could. */
export async function invokeFrom(
  sender: WebContents,
  senderFrame: { origin: string; url: string } | null,
  name: string,
  ...args: unknown[]
): Promise<unknown> {
  const handler = handlers.get(name);
  if (handler === undefined) throw new Error(`No handler registered for '${name}'`);
  return structuredClone(
    await handler(
      { ...newEvent(), sender, senderFrame, type: "frame", frameId: 1, processId: 1 },
      ...structuredClone(args),
    ),
  );
}

type WindowMethods =
  | "show"
  | "showInactive"
  | "hide"
  | "minimize"
  | "restore"
  | "maximize"
  | "focus"
  | "close"
  | "destroy"
  | "isDestroyed"
  | "isMinimized"
  | "isMaximized"
  | "isVisible"
  | "isFocused"
  | "isFullScreen"
  | "setFullScreen"
  | "getNormalBounds"
  | "setBounds"
  | "setProgressBar"
  | "setAlwaysOnTop"
  | "setVisibleOnAllWorkspaces"
  | "loadURL";

export class BrowserWindow
  extends EventEmitter
  implements Pick<Electron.BrowserWindow, WindowMethods>
{
  static readonly all = new Set<BrowserWindow>();
  static getFocusedWindow = (): BrowserWindow | null =>
    [...BrowserWindow.all].find(({ focused }) => focused) ?? null;
  readonly options: Electron.BrowserWindowConstructorOptions;
  readonly webContents: WebContents;
  bounds: Electron.Rectangle;
  isShown: boolean;
  minimized = false;
  maximized = false;
  focused = false;
  fullScreen = false;
  destroyed = false;
  isOnTop = false;
  progress = -1;
  /** The page has a "beforeunload" handler that asks the user. */
  preventsUnload = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    this.options = options;
    this.webContents = new WebContents(options.webPreferences ?? {});
    this.bounds = {
      x: options.x ?? 100,
      y: options.y ?? 100,
      width: options.width ?? 800,
      height: options.height ?? 600,
    };
    this.isShown = options.show !== false;
    BrowserWindow.all.add(this);
    app.emit("browser-window-created", newEvent(), this);
  }
  loadURL(url: string): Promise<void> {
    const pageLoads = this.#load(url);
    fake.pageLoads.push(pageLoads.catch(() => {}));
    return pageLoads;
  }
  async #load(url: string): Promise<void> {
    await this.webContents.load(url);
    if (fake.emitsReadyWhenHidden || this.isShown) this.emit("ready-to-show", newEvent());
    this.webContents.emit("did-finish-load", newEvent());
  }
  show(): void {
    this.isShown = true;
    this.focused = true;
    this.minimized = false;
  }
  showInactive(): void {
    this.isShown = true;
  }
  hide(): void {
    this.isShown = false;
    this.focused = false;
  }
  minimize(): void {
    this.isShown = true;
    this.minimized = true;
    this.focused = false;
  }
  restore(): void {
    this.minimized = false;
  }
  maximize(): void {
    this.maximized = true;
  }
  focus(): void {
    this.focused = true;
  }
  close(): void {
    if (emitPreventable(this, "close")) return;
    if (this.preventsUnload && !emitPreventable(this.webContents, "will-prevent-unload")) return;
    this.destroy();
  }
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.webContents.destroyed = true;
    this.webContents.emit("destroyed");
    this.isShown = false;
    BrowserWindow.all.delete(this);
    this.emit("closed", newEvent());
    if (BrowserWindow.all.size === 0 && app.listenerCount("window-all-closed") === 0) app.quit();
    else if (BrowserWindow.all.size === 0) app.emit("window-all-closed");
  }
  isDestroyed = (): boolean => this.destroyed;
  isMinimized = (): boolean => this.minimized;
  isMaximized = (): boolean => this.maximized;
  isVisible = (): boolean => this.isShown;
  isFocused = (): boolean => this.focused;
  isFullScreen = (): boolean => this.fullScreen;
  setFullScreen = (isFull: boolean): void => void (this.fullScreen = isFull);
  getNormalBounds = (): Electron.Rectangle => this.bounds;
  setBounds = (bounds: Partial<Electron.Rectangle>): void =>
    void Object.assign(this.bounds, bounds);
  setProgressBar = (progress: number): void => void (this.progress = progress);
  setAlwaysOnTop = (isOnTop: boolean): void => void (this.isOnTop = isOnTop);
  setVisibleOnAllWorkspaces(): void {}
}

type Cookie = { name: string; value: string };

class FakeSession {
  readonly cookieJar: Cookie[] = [];
  readonly cookieDetails: Electron.CookiesSetDetails[] = [];
  requestHandler: Parameters<Electron.Session["setPermissionRequestHandler"]>[0] = null;
  checkHandler: Parameters<Electron.Session["setPermissionCheckHandler"]>[0] = null;
  deviceHandler: Parameters<Electron.Session["setDevicePermissionHandler"]>[0] = null;
  displayHandler: Parameters<Electron.Session["setDisplayMediaRequestHandler"]>[0] = null;

  readonly cookies = {
    set: async (details: Electron.CookiesSetDetails) => {
      this.cookieDetails.push(details);
      this.cookieJar.push({ name: details.name ?? "", value: details.value ?? "" });
    },
  } satisfies Partial<Electron.Cookies>;
  setPermissionRequestHandler: Electron.Session["setPermissionRequestHandler"] = (handler) =>
    void (this.requestHandler = handler);
  setPermissionCheckHandler: Electron.Session["setPermissionCheckHandler"] = (handler) =>
    void (this.checkHandler = handler);
  setDevicePermissionHandler: Electron.Session["setDevicePermissionHandler"] = (handler) =>
    void (this.deviceHandler = handler);
  setDisplayMediaRequestHandler: Electron.Session["setDisplayMediaRequestHandler"] = (handler) =>
    void (this.displayHandler = handler);

  /** Listeners by event. */
  readonly #webListeners = new Map<
    string,
    (details: never, decide: (response: never) => void) => void
  >();
  readonly webRequest = {
    onBeforeRequest: (listener: unknown) => this.#listen("before", listener),
    onCompleted: (listener: unknown) => this.#listen("completed", listener),
  };
  closedConnections = 0;
  closeAllConnections = async (): Promise<void> => void (this.closedConnections += 1);
  #listen(event: string, listener: unknown): void {
    this.#webListeners.set(event, listener as (details: never) => void);
  }
  #emit(event: string, details: object, decide: (response: { cancel?: boolean }) => void): void {
    this.#webListeners.get(event)?.(details as never, decide);
  }
  /** Each request, and each one after a redirect, may be cancelled by a listener. */
  fetch = async (url: string, init?: RequestInit): Promise<Response> => {
    let isCancelled = false;
    this.#emit("before", { url }, ({ cancel = false }) => (isCancelled = cancel));
    if (isCancelled) throw new Error("net::ERR_BLOCKED_BY_CLIENT");
    const response = await globalThis.fetch(url, { ...init, redirect: "manual" });
    const responseHeaders = Object.fromEntries(
      Array.from(response.headers, ([name, value]) => [name, [value]]),
    );
    const target = response.headers.get("location");
    if (target === null) {
      this.#emit("completed", { url, responseHeaders }, () => {});
      return response;
    }
    return this.fetch(target, init);
  };
}

const sessions = new Map<string, FakeSession>();
export const session = {
  fromPartition(partition: string, _options?: { cache: boolean }): FakeSession {
    const existing = sessions.get(partition) ?? new FakeSession();
    sessions.set(partition, existing);
    return existing;
  },
};

export type FakeMenu = { readonly items: Electron.MenuItemConstructorOptions[] };
export const Menu = {
  buildFromTemplate: (items: Electron.MenuItemConstructorOptions[]): FakeMenu => ({ items }),
  setApplicationMenu: (menu: FakeMenu | null) => void (fake.menu = menu ?? undefined),
};

/** Menu items including those of submenus. */
export const flattenMenuItems = (
  items: readonly Electron.MenuItemConstructorOptions[],
): Electron.MenuItemConstructorOptions[] =>
  items.flatMap((item) => [
    item,
    ...(Array.isArray(item.submenu) ? flattenMenuItems(item.submenu) : []),
  ]);

/** Clicks the item with this label, also in submenus. */
export function clickMenuItem(menu: FakeMenu | undefined, label: string): void {
  const match = flattenMenuItems(menu?.items ?? []).find((item) => item.label === label);
  if (match?.click === undefined || match.enabled === false)
    throw new Error(`'${label}' cannot be chosen`);
  (match.click as () => void)();
}

export class Tray extends EventEmitter {
  menu: FakeMenu | undefined;
  toolTip = "";
  title = "";
  destroyed = false;
  image: FakeImage;
  constructor(image: FakeImage) {
    super();
    this.image = image;
    if (!fake.hasTray) throw new Error("there is no tray");
    fake.trays.push(this);
  }
  setContextMenu = (menu: FakeMenu | null): void => void (this.menu = menu ?? undefined);
  setToolTip = (text: string): void => void (this.toolTip = text);
  setTitle = (title: string): void => void (this.title = title);
  setImage = (image: FakeImage): void => void (this.image = image);
  destroy = (): void => void (this.destroyed = true);
}

export class Notification extends EventEmitter {
  static isSupported = (): boolean => fake.hasNotifications;
  readonly options: Electron.NotificationConstructorOptions;
  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super();
    this.options = options;
  }
  show(): void {
    fake.notifications.push(this);
  }
}

export class FakeImage {
  readonly representations: { scaleFactor: number; bytes: number }[] = [];
  isTemplate = false;
  addRepresentation = ({ scaleFactor = 1, buffer }: Electron.AddRepresentationOptions): void =>
    void this.representations.push({ scaleFactor, bytes: buffer?.length ?? 0 });
  setTemplateImage = (isTemplate: boolean): void => void (this.isTemplate = isTemplate);
}
export const nativeImage = { createEmpty: () => new FakeImage() };

export const dialog = {
  showErrorBox: (title: string, content: string) => void fake.errors.push(`${title}: ${content}`),
  /** With or without a parent window. */
  showMessageBox: async (
    ...args: [unknown, Electron.MessageBoxOptions] | [Electron.MessageBoxOptions]
  ) => {
    fake.dialogs.push(args.at(-1) as Electron.MessageBoxOptions);
    return { response: await fake.dialogResponse, checkboxChecked: false };
  },
  showOpenDialog: async (options: Electron.OpenDialogOptions) => {
    fake.openDialogs.push(options);
    return { canceled: fake.pickedPaths.length === 0, filePaths: fake.pickedPaths };
  },
};

export const shell = {
  openExternal: async (url: string) => void fake.openedUrls.push(url),
  openPath: async (path: string) => {
    fake.openedFolders.push(path);
    return fake.openPathError;
  },
  showItemInFolder: (path: string) => void fake.openedFolders.push(path),
} satisfies Partial<Electron.Shell>;

export const clipboard = {
  writeText: async (text: string) => void (fake.clipboard = text),
} satisfies Partial<Electron.Clipboard>;

export const globalShortcut = {
  register(keys: string, callback: () => void) {
    if (!/^(\w+\+)*\w+$/.test(keys)) throw new TypeError("conversion failure");
    if (fake.unavailableShortcuts.has(keys) || fake.shortcuts.has(keys)) return false;
    fake.shortcuts.set(keys, callback);
    return true;
  },
  unregister: (keys: string) => void fake.shortcuts.delete(keys),
} satisfies Partial<Electron.GlobalShortcut>;

let blockers = 0;
export const powerSaveBlocker = {
  start(_type: "prevent-app-suspension" | "prevent-display-sleep") {
    blockers += 1;
    fake.blockers.add(blockers);
    return blockers;
  },
  stop: (id: number) => fake.blockers.delete(id),
} satisfies Partial<Electron.PowerSaveBlocker>;

const display = (workArea: Electron.Rectangle) => ({ workArea }) as Electron.Display;
export const screen = {
  getAllDisplays: () => fake.displays.map(display),
  getDisplayNearestPoint: () => display(fake.displays[0] as Electron.Rectangle),
  getCursorScreenPoint: () => ({ x: 10, y: 10 }),
} satisfies Partial<Electron.Screen>;

export const safeStorage = {
  isAsyncEncryptionAvailable: async () => fake.keyring.isAvailable,
  getSelectedStorageBackend: () => fake.keyring.backend,
  encryptStringAsync: async (text: string) =>
    fake.keyring.isLocked
      ? Promise.reject(new Error("Error while encrypting"))
      : Buffer.from(JSON.stringify({ key: fake.keyring.rotated ?? fake.keyring.key, text })),
  async decryptStringAsync(sealed: Buffer) {
    const { key, text } = JSON.parse(sealed.toString()) as { key: string; text: string };
    const { key: currentKey, rotated } = fake.keyring;
    if (key !== currentKey && key !== rotated) throw new Error("Error while decrypting");
    return { result: text, shouldReEncrypt: rotated !== undefined && key !== rotated };
  },
} satisfies Partial<Electron.SafeStorage>;

export const systemPreferences = {
  isTrustedAccessibilityClient: () => fake.isTrusted,
  askForMediaAccess: async () => fake.allowsMicrophone,
} satisfies Partial<Electron.SystemPreferences>;

export const crashReporter = {
  start: (options?: Electron.CrashReporterStartOptions) => void (fake.crashReporting = options),
} satisfies Partial<Electron.CrashReporter>;

const shim = pathToFileURL(join(import.meta.dirname, "parent-port.mjs")).href;

export class UtilityProcess
  extends EventEmitter
  implements Pick<Electron.UtilityProcess, "pid" | "kill" | "postMessage" | "stdout" | "stderr">
{
  static readonly all = new Set<UtilityProcess>();
  pid: number | undefined;
  readonly stdout = null;
  readonly stderr: PassThrough | null;
  readonly modulePath: string;
  readonly options: Electron.ForkOptions;
  readonly #child: ChildProcess;

  constructor(modulePath: string, args: readonly string[], options: Electron.ForkOptions) {
    super();
    if (!app.isReady()) throw new Error("utilityProcess cannot be created before app is ready.");
    this.modulePath = modulePath;
    this.options = options;
    const [stdin, stdout, stderr] = options.stdio as readonly ("ignore" | "pipe")[];
    if (stdin !== "ignore") throw new Error("stdin value other than ignore is not supported.");
    this.stderr = stderr === "pipe" ? new PassThrough() : null;
    this.#child = fork(modulePath, args, {
      env: options.env as NodeJS.ProcessEnv,
      execArgv: ["--import", shim, ...(options.execArgv ?? [])],
      serialization: "advanced",
      stdio: ["ignore", stdout ?? "ignore", stderr ?? "ignore", "ipc"],
    });
    if (this.stderr !== null) this.#child.stderr?.pipe(this.stderr);
    this.#child.once("spawn", () => {
      this.pid = this.#child.pid;
      UtilityProcess.all.add(this);
      this.emit("spawn");
    });
    this.#child.on("message", (message) => this.emit("message", message));
    this.#child.once("exit", (code, signal) => {
      UtilityProcess.all.delete(this);
      this.emit("exit", code ?? (signal === "SIGKILL" ? 9 : 15));
      this.pid = undefined;
    });
  }
  kill = (): boolean => this.#child.kill();
  postMessage = (message: unknown, _transfer?: Electron.MessagePortMain[]): void =>
    void (this.#child.connected && this.#child.send(message as object, () => {}));
}

export const utilityProcess = {
  fork: (modulePath: string, args: string[] = [], options: Electron.ForkOptions = {}) =>
    new UtilityProcess(modulePath, args, options),
};
