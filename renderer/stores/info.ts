// The app itself: version, port, address of the API, key.

import { create } from "zustand";
import type { AppInfo } from "../../main/contract/studio-api.ts";
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

/** Starts, stops, opens to the network, moves to another port. Throws ApiError. */
export async function changeServer(change: {
  isRunning: boolean;
  isNetworkOpen: boolean;
  port?: number;
}): Promise<void> {
  useInfo.setState({ info: await call("changeServer", change), error: undefined });
}
