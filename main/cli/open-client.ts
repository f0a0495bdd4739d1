// Finds the app for a command: the one that runs on the data folder, else one that is opened in this process.

import type { App } from "../app.ts";
import { claimOrFind } from "../instance/claim-or-hand-over.ts";
import { AnswerError, type AppClient, createAppClient, toApp, toRunningApp } from "./app-client.ts";

export type OpenedClient = {
  client: AppClient;
  /** Whether the app runs in another process. */
  isRunning: boolean;
  close(): Promise<void>;
};

export type OpenClientOptions = {
  dataDir: string;
  /**
   * The command changes nothing that an app caches: it only uses the engines. It holds no lock, so that it delays
   * neither an app nor other commands, however long it takes.
   */
  usesEnginesOnly: boolean;
  openApp(): Promise<App>;
  signal: AbortSignal;
};

/** @throws AnswerError if another process holds the folder and cannot be reached */
export async function openClient({
  dataDir,
  usesEnginesOnly,
  openApp,
  signal,
}: OpenClientOptions): Promise<OpenedClient> {
  const claim = await claimOrFind(dataDir, signal, usesEnginesOnly ? noWaiting : waiting);
  if (claim.type === "answered") {
    const client = createAppClient(toRunningApp(claim.answer, signal));
    return { client, isRunning: true, close: async () => {} };
  }
  const ownership = claim.type === "owner" ? claim.ownership : undefined;
  if (usesEnginesOnly) ownership?.release();
  else if (ownership === undefined) throw new AnswerError(unreachableMessage(dataDir));
  const app = await openApp().catch((error: unknown) => {
    ownership?.release();
    throw error;
  });
  return {
    client: createAppClient(toApp(app.handle, signal)),
    isRunning: false,
    async close() {
      await app.close();
      ownership?.release();
    },
  };
}

/** Longer than most commands take. */
const waiting = { silenceTimeoutMs: 30_000, unreachableTimeoutMs: 2000 };
const noWaiting = { silenceTimeoutMs: 0, unreachableTimeoutMs: 0 };

export const unreachableMessage = (dataDir: string): string =>
  `another Hearsay is using ${dataDir} and cannot be reached from here; it may be a command that has not ended, or be running in another container or as another user. Wait for it or stop it, or choose another folder with --data-dir.`;
