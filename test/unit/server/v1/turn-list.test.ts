// The turns of a realtime session.

import { expect, it } from "vitest";
import { createTurnList } from "../../../../main/server/v1/realtime/turn-list.ts";
import type { ServerEvent } from "../../../../main/server/v1/realtime/turns.ts";

function openTurns() {
  const events: ServerEvent[] = [];
  let last: string | null = null;
  const turns = createTurnList({
    send: (event) => events.push(event),
    detectsTurns: true,
    isBeta: () => false,
    showsUnsettled: () => true,
    showsLanguage: () => false,
    follow(itemId) {
      const previous = last;
      last = itemId;
      return previous;
    },
  });
  const deltasOf = (itemId: string): unknown[] =>
    events.filter((event) => event["item_id"] === itemId).flatMap(({ delta }) => delta ?? []);
  return { turns, events, deltasOf };
}

it("gives speech that starts in the last frame of a turn to the next one", () => {
  const { turns, events, deltasOf } = openTurns();
  const first = turns.start(1);
  turns.end(first, 5);
  expect([turns.isNew(4), turns.isNew(4.97)]).toEqual([false, true]);
  const second = turns.start(4.8);
  turns.draft({ startSec: 4.97, settled: "Next", unsettled: "" });
  expect([deltasOf(first.itemId), deltasOf(second.itemId)]).toEqual([[], ["Next"]]);
  turns.end(second, 9);
  const committed = events.filter(({ type }) => type === "input_audio_buffer.committed");
  expect(committed.map((event) => event["previous_item_id"])).toEqual([null, first.itemId]);
});

it("sends deltas in the order of time, also where earlier speech is settled later", () => {
  const { turns, deltasOf } = openTurns();
  const { itemId } = turns.start(1);
  turns.draft({ startSec: 1, settled: "One two", unsettled: " tree" });
  turns.draft({ startSec: 6, settled: "four", unsettled: "" });
  const settled = {
    startSec: 1,
    endSec: 5,
    text: "One two three",
    words: [],
    language: "en",
    avgLogprob: 0,
    noSpeechProb: 0,
    compressionRatio: 1,
    isEdited: false,
  };
  turns.settle(1, [settled]);
  turns.settle(6, [{ ...settled, startSec: 6, text: "four five" }]);
  expect(deltasOf(itemId)).toEqual(["One two", " four", "", " five"]);
});
