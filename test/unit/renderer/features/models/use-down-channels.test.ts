import { expect, it, onTestFinished, vi } from "vitest";
import { createHealth } from "../../../../../main/channels/health.ts";
import { channelFields, type ChannelView } from "../../../../../main/contract/channels.ts";
import { watchDownChannels } from "../../../../../renderer/features/models/use-down-channels.ts";

const view = (name: string, more: Partial<ChannelView> = {}): ChannelView => ({
  ...channelFields.parse({ name, baseUrl: "https://example.com/v1", prefix: name }),
  id: name,
  key: "none",
  models: 1,
  health: createHealth().view(),
  ...more,
});

it("shows the channels that do not respond, or whose list of models cannot be loaded", async () => {
  const open = { ...createHealth().view(), state: "open" } as const;
  const channels = [
    view("well"),
    view("failing", { health: open }),
    view("unlisted", { listError: "The connection was refused." }),
  ];
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ channels, presets: [] })));
  onTestFinished(() => void vi.unstubAllGlobals());
  const shown = await new Promise<ReadonlySet<string>>((show) => {
    watchDownChannels({ subscribe: () => () => {}, onState: () => () => {} }, show);
  });
  expect([...shown]).toEqual(["failing", "unlisted"]);
});

it("asks for the channels at first, with each event about them, and when the app responds again", () => {
  const fetched = vi.fn<typeof fetch>(() => Promise.resolve(Response.error()));
  vi.stubGlobal("fetch", fetched);
  onTestFinished(() => void vi.unstubAllGlobals());
  const subscribe = vi.fn<Parameters<typeof watchDownChannels>[0]["subscribe"]>(() => () => {});
  const onState = vi.fn<Parameters<typeof watchDownChannels>[0]["onState"]>(() => () => {});
  watchDownChannels({ subscribe, onState }, () => {});
  expect(fetched).toHaveBeenCalledTimes(1);
  subscribe.mock.lastCall?.[0]({ type: "channels" });
  expect(fetched).toHaveBeenCalledTimes(2);
  const changeState = onState.mock.lastCall?.[0];
  changeState?.(false);
  expect(fetched).toHaveBeenCalledTimes(2);
  changeState?.(true);
  expect(fetched).toHaveBeenCalledTimes(3);
});
