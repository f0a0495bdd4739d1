// Channels of this page: loaded when it opens and whenever the app announces a change.

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
    // Ignores responses that a later request overtook.
    if (requestId === lastRequestId) useChannels.setState({ ...response, error: undefined });
  } catch (error) {
    if (requestId === lastRequestId) useChannels.setState({ error: messageOf(error) });
  }
}

/** Stores the response to a change at once. */
export const storeChannel = (channel: ChannelView): void =>
  useChannels.setState(({ channels = [] }) => ({
    channels: channels.some(({ id }) => id === channel.id)
      ? channels.map((each) => (each.id === channel.id ? channel : each))
      : [...channels, channel],
  }));

/** Keeps the channels up to date as long as the page is open. */
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
