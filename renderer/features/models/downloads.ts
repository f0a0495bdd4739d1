// Downloads of models: loaded when the page opens, then kept up to date by events.

import { useEffect } from "react";
import { create } from "zustand";
import type { ModelDownload } from "../../../main/contract/model-downloads.ts";
import { call } from "../../api/client.ts";
import { ApiError, messageOf } from "../../api/error.ts";
import { eventStream } from "../../stores/event-stream.ts";

/** What is to be downloaded: a model of the list, or a repository of the hub. */
export type Wanted =
  | { readonly id: string; readonly name: string; readonly licence?: string; readonly url?: string }
  | { readonly repository: string };

export const wantedName = (wanted: Wanted): string =>
  "id" in wanted ? wanted.name : wanted.repository;

type DownloadsState = {
  downloads: readonly ModelDownload[];
  /** Installed while the page was open. */
  finished: readonly { readonly id: string; readonly name: string }[];
  /** Its licence is to be accepted; `message` is the app's. */
  licencePrompt: { wanted: Wanted; message?: string } | undefined;
  /** The last action that failed. */
  error: { id: string; message: string } | undefined;
  /** Being started. */
  starting: string | undefined;
};

export const useDownloads = create<DownloadsState>(() => ({
  downloads: [],
  finished: [],
  licencePrompt: undefined,
  error: undefined,
  starting: undefined,
}));

const { setState, getState } = useDownloads;

/** Applies an event; a download that ended leaves the list. */
function storeDownload(download: ModelDownload): void {
  const { id, name, state } = download;
  const { downloads, finished } = getState();
  const isOver = state === "done" || state === "cancelled";
  setState({
    downloads: isOver
      ? downloads.filter((each) => each.id !== id)
      : downloads.some((each) => each.id === id)
        ? downloads.map((each) => (each.id === id ? download : each))
        : [...downloads, download],
    finished: [
      ...finished.filter((each) => each.id !== id),
      ...(state === "done" ? [{ id, name }] : []),
    ],
  });
}

export const forgetFinished = (id: string): void =>
  setState(({ finished }) => ({ finished: finished.filter((each) => each.id !== id) }));

export const addFinished = (model: { id: string; name: string }): void =>
  setState(({ finished }) => ({
    finished: [...finished.filter(({ id }) => id !== model.id), model],
  }));

export const closeLicencePrompt = (): void => setState({ licencePrompt: undefined });
export const forgetError = (): void => setState({ error: undefined });

async function attempt(id: string, work: () => Promise<unknown>): Promise<void> {
  setState({ error: undefined });
  try {
    await work();
  } catch (error) {
    setState({ error: { id, message: messageOf(error) } });
  }
}

/** Starts a download, or asks for its licence to be accepted. Events tell its state: they may overtake the response. */
export async function getModel(wanted: Wanted, acceptLicence = false): Promise<void> {
  const key = "id" in wanted ? wanted.id : wanted.repository;
  setState({ licencePrompt: undefined, starting: key });
  await attempt(key, async () => {
    try {
      await ("id" in wanted
        ? call("startDownload", { acceptLicence }, wanted.id)
        : call("downloadRepository", { repository: wanted.repository, acceptLicence }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "licence_not_accepted") throw error;
      setState({ licencePrompt: { wanted, message: error.message } });
    }
  });
  setState({ starting: undefined });
}

export const promptForLicence = (wanted: Wanted): void => setState({ licencePrompt: { wanted } });

export const pauseDownload = (id: string): Promise<void> =>
  attempt(id, () => call("pauseDownload", {}, id));
export const resumeDownload = (id: string): Promise<void> =>
  attempt(id, () => call("resumeDownload", {}, id));
export const cancelDownload = (id: string): Promise<void> =>
  attempt(id, () => call("cancelDownload", {}, id));

/** While the page is open. */
export function useLiveDownloads(): void {
  useEffect(() => {
    const load = (): void =>
      void call("listDownloads", {}).then(
        ({ downloads }) => setState({ downloads }),
        // The list of models reports that the app does not respond.
        () => undefined,
      );
    load();
    const stop = eventStream().subscribe((event) => {
      if (event.type === "model-download") storeDownload(event.download);
    });
    const stopState = eventStream().onState((isOpen) => isOpen && load());
    return () => {
      stop();
      stopState();
    };
  }, []);
}
