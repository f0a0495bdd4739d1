// The interface that a host implements: plain Node (cli/) or Electron (electron/). Everything else is the same in both.

/** A running child process, as the pool uses it. Messages are structured clones, including typed arrays. */
export interface ChildPort {
  /** undefined until the host has started the process. */
  readonly pid: number | undefined;
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called exactly once, for any kind of exit. */
  onExit(listener: (reason: string) => void): void;
  /** The last few kilobytes of the child's stderr. */
  stderrTail(): string;
  /** Ends the child immediately. */
  kill(): void;
}

/** Encrypts texts so that only this person's session on this machine can read them. */
export interface SecretBox {
  seal(text: string): Promise<string>;
  /**
   * Rejects if the text was encrypted elsewhere. If it should be stored in a newer encryption, calls `onResealed` with
   * that.
   */
  open(sealed: string, onResealed?: (sealed: string) => void): Promise<string>;
}

export type ChildOptions = {
  /** V8 heap limit; the child is terminated if it needs more. */
  maxHeapMb?: number;
};

export interface Platform {
  /** The app's data folder with keys, settings and library. Exists. */
  readonly dataDir: string;
  /** Omitted if the system has none. */
  readonly secretBox?: SecretBox;
  /** Starts one of our modules in a child process with a cleaned environment. */
  launchChild(modulePath: string, options?: ChildOptions): ChildPort;
  /** The address of the system's proxy for a URL, if it has one. Omitted if the host cannot tell. */
  findProxy?(url: string): Promise<string | undefined>;
  /** Starts or ends dictation for the program in front. Omitted if the host does not support it. */
  dictate?(): void;
}
