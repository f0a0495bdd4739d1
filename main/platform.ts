// The port a host fills: plain Node (headless/) or Electron (shell/). Everything else is the same in both.

/** A running child process as the pool sees it. Messages are structured clones, typed arrays included. */
export interface ChildPort {
  /** Undefined until it runs, where the host starts it meanwhile. */
  readonly pid: number | undefined;
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, however the child ended. */
  onExit(listener: (reason: string) => void): void;
  /** The last few kilobytes the child wrote to stderr. */
  stderrTail(): string;
  /** Ends the child at once. */
  kill(): void;
}

/** Locks texts up so that only this person's session on this machine can read them. */
export interface SecretBox {
  seal(text: string): Promise<string>;
  /** Rejects where the text was sealed elsewhere. Where it is to be kept sealed anew, `onResealed` is called with that. */
  open(sealed: string, onResealed?: (sealed: string) => void): Promise<string>;
}

export type ChildOptions = {
  /** Limit of V8's heap: the child ends where it needs more. */
  maxHeapMb?: number;
};

export interface Platform {
  /** The app's own folder: keys, settings, library. Exists. */
  readonly dataDir: string;
  /** Absent where the system has none. */
  readonly secretBox?: SecretBox;
  /** Starts a module of ours in a child process with a cleaned environment. */
  launchChild(modulePath: string, options?: ChildOptions): ChildPort;
  /** Begins to listen to a dictation for whatever program is in front, or ends it. Absent where the host cannot. */
  dictate?(): void;
}
