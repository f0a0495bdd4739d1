import { expect, it, onTestFinished, vi } from "vitest";
import { killSiblings, setSiblings, stateLength } from "../../../main/processes/watchdog-state.ts";

it("continues every sibling before it kills the first one", () => {
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const state = new Int32Array(new SharedArrayBuffer(4 * stateLength));
  setSiblings(state, [101, 102]);
  killSiblings(state);
  expect(kill.mock.calls).toEqual([
    [101, "SIGCONT"],
    [102, "SIGCONT"],
    [101, "SIGKILL"],
    [102, "SIGKILL"],
  ]);
});
