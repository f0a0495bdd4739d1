// Tests of channels, running and finished. Kept as long as the window is open, so that a row can be closed meanwhile.

import { create } from "zustand";
import type { ChannelTest } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { isAbort, messageOf } from "../../api/error.ts";

export type TestRun = {
  readonly controller?: AbortController;
  readonly result?: ChannelTest;
  readonly error?: string;
};

export const useTests = create<{ byId: ReadonlyMap<string, TestRun> }>(() => ({ byId: new Map() }));

const set = (id: string, run: TestRun | undefined): void =>
  useTests.setState(({ byId }) => {
    const next = new Map(byId);
    if (run === undefined) next.delete(id);
    else next.set(id, run);
    return { byId: next };
  });

export const forgetTest = (id: string): void => {
  useTests.getState().byId.get(id)?.controller?.abort();
  set(id, undefined);
};

/** At most one test per channel runs at a time. */
export async function startTest(id: string): Promise<void> {
  const previous = useTests.getState().byId.get(id);
  if (previous?.controller !== undefined) return;
  const controller = new AbortController();
  set(id, { controller });
  const isCurrent = (): boolean => useTests.getState().byId.get(id)?.controller === controller;
  try {
    const result = await call("testChannel", {}, id, controller.signal);
    if (isCurrent()) set(id, { result });
  } catch (error) {
    // If it was cancelled, the previous result stays.
    if (isCurrent()) set(id, isAbort(error) ? previous : { error: messageOf(error) });
  }
}
