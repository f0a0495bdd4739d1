// The channels of this page: read when it opens, and anew when the app says that they changed or fare differently.

import { useEffect } from "react";
import { create } from "zustand";
import type { ChannelPreset, ChannelView } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/error.ts";
import { eventStream } from "../../stores/event-stream.ts";

type ChannelsState = {
  channels: readonly ChannelView[] | undefined;
  presets: readonly ChannelPreset[];
  error: string | undefined;
};

export const useChannels = create<ChannelsState>(() => ({
  channels: undefined,
  presets: [],
  error: undefined,
}));

let lastRequestId = 0;

export async function loadChannels(): Promise<void> {
  const requestId = ++lastRequestId;
  try {
    const response = await call("listChannels", {});
    // An answer that a later one overtook is old.
    if (requestId === lastRequestId) useChannels.setState({ ...response, error: undefined });
  } catch (error) {
    if (requestId === lastRequestId) useChannels.setState({ error: messageOf(error) });
  }
}

/** Shows what a change answered at once. */
export const storeChannel = (channel: ChannelView): void =>
  useChannels.setState(({ channels = [] }) => ({
    channels: channels.some(({ id }) => id === channel.id)
      ? channels.map((each) => (each.id === channel.id ? channel : each))
      : [...channels, channel],
  }));

/** Keeps them fresh as long as the page is open. */
export function useLiveChannels(): void {
  useEffect(() => {
    void loadChannels();
    const stop = eventStream().subscribe(({ type }) => {
      if (type === "channels") void loadChannels();
    });
    const stopState = eventStream().onState((isOpen) => isOpen && void loadChannels());
    return () => {
      stop();
      stopState();
    };
  }, []);
}
