// The app itself: version, port, API address, key.

import { create } from "zustand";
import type { AppInfo } from "../../main/contract/window-api.ts";
import type { WyomingChange } from "../../main/contract/wyoming.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";

export const useInfo = create<{ info: AppInfo | undefined; error: string | undefined }>(() => ({
  info: undefined,
  error: undefined,
}));

export async function loadInfo(): Promise<void> {
  try {
    useInfo.setState({ info: await call("readInfo", {}), error: undefined });
  } catch (error) {
    useInfo.setState({ error: messageOf(error) });
  }
}

/** @throws ApiError */
export async function changeOffline(isOffline: boolean): Promise<void> {
  await call("changeOffline", { isOffline });
  await loadInfo();
}

/** Opens, closes or moves the port for Home Assistant. @throws ApiError */
export async function changeWyoming(change: WyomingChange): Promise<void> {
  useInfo.setState({ info: await call("changeWyoming", change), error: undefined });
}

/** Starts or stops the API, opens it to the network, changes its port. @throws ApiError */
export async function changeServer(change: {
  isRunning: boolean;
  isNetworkOpen: boolean;
  port?: number;
}): Promise<void> {
  useInfo.setState({ info: await call("changeServer", change), error: undefined });
}
