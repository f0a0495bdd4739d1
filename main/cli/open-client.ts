// Finds the app for a command: the one that runs on the data folder, else one that is opened in this process.

import type { App } from "../app.ts";
import { claimOrFind } from "../instance/claim-or-hand-over.ts";
import { AnswerError, type AppClient, createAppClient, toApp, toRunningApp } from "./app-client.ts";

export type OpenedClient = {
  client: AppClient;
  /** Whether the app runs in another process. */
  isRunning: boolean;
  /** Nobody needs to wait for the rest of the command, which changes nothing. */
  release(): void;
  close(): Promise<void>;
};

export type OpenClientOptions = {
  dataDir: string;
  /**
   * Nothing that an app caches is changed. The command then holds no lock, so that it delays neither an app nor other
   * commands, however long it takes.
   */
  changesNothing: boolean;
  openApp(): Promise<App>;
  signal: AbortSignal;
};

/** @throws AnswerError if another process holds the folder and cannot be reached */
export async function openClient({
  dataDir,
  changesNothing,
  openApp,
  signal,
}: OpenClientOptions): Promise<OpenedClient> {
  const claim = await claimOrFind(dataDir, signal, changesNothing ? noWaiting : waiting);
  if (claim.type === "answered") {
    const client = createAppClient(toRunningApp(claim.answer, signal));
    return { client, isRunning: true, release() {}, close: async () => {} };
  }
  const ownership = claim.type === "owner" ? claim.ownership : undefined;
  if (!changesNothing && ownership === undefined)
    throw new AnswerError(unreachableMessage(dataDir));
  const release = (): void => ownership?.release();
  if (changesNothing) release();
  const app = await openApp().catch((error: unknown) => {
    release();
    throw error;
  });
  return {
    client: createAppClient(toApp(app.handle, signal)),
    isRunning: false,
    release,
    async close() {
      await app.close();
      release();
    },
  };
}

/** Longer than most commands take. */
const waiting = { silenceTimeoutMs: 30_000, unreachableTimeoutMs: 2000 };
const noWaiting = { silenceTimeoutMs: 0, unreachableTimeoutMs: 0 };

export const unreachableMessage = (dataDir: string): string =>
  `another Hearsay is using ${dataDir} and cannot be reached from here; ` +
  "it may be a command that has not ended, or be running in another container or as another user. " +
  "Wait for it or stop it, or choose another folder with --data-dir.";
