import { describe, expect, it } from "vitest";
import {
  type Draft,
  draftsOfItem,
  withDraft,
} from "../../../../../renderer/features/transcribe/transcript/drafts.ts";

describe("the text of speech that goes on", () => {
  const drafts = (
    [
      { itemId: "one", startSec: 4, settled: "And then", unsettled: " he" },
      { itemId: "one", startSec: 1, settled: "", unsettled: "It was" },
      { itemId: "two", startSec: 0, settled: "Elsewhere.", unsettled: "" },
    ] satisfies Draft[]
  ).reduce<readonly Draft[]>(withDraft, []);

  it("is in the order of time", () => {
    expect(draftsOfItem(drafts, "one").map(({ startSec }) => startSec)).toEqual([1, 4]);
  });

  it("is replaced as it grows, and goes once it has a segment", () => {
    const quiet = { itemId: "one", startSec: 1, settled: "It was quiet.", unsettled: "" };
    expect(draftsOfItem(withDraft(drafts, quiet), "one")).toEqual([quiet, drafts[0]]);
    const ended = { ...quiet, settled: "" };
    expect(draftsOfItem(withDraft(drafts, ended), "one")).toEqual([drafts[0]]);
  });
});
