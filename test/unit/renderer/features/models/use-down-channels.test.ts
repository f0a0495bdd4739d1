import { expect, it, onTestFinished, vi } from "vitest";
import { watchDownChannels } from "../../../../../renderer/features/models/use-down-channels.ts";

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
