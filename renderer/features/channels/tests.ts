// Tests of channels, under way and done. Kept while the window is open, so that a row may be closed meanwhile.

import { create } from "zustand";
import type { ChannelTest } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { isAbort, messageOf } from "../../api/error.ts";

export type TestRun = {
  readonly stop?: AbortController;
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
  useTests.getState().byId.get(id)?.stop?.abort();
  set(id, undefined);
};

/** One at a time for a channel. */
export async function startTest(id: string): Promise<void> {
  const before = useTests.getState().byId.get(id);
  if (before?.stop !== undefined) return;
  const stop = new AbortController();
  set(id, { stop });
  const isCurrent = (): boolean => useTests.getState().byId.get(id)?.stop === stop;
  try {
    const result = await call("testChannel", {}, id, stop.signal);
    if (isCurrent()) set(id, { result });
  } catch (error) {
    // Given up: what was known before still holds.
    if (isCurrent()) set(id, isAbort(error) ? before : { error: messageOf(error) });
  }
}
