// Which samples streams are given that stay open between drafts, with streams that only write down what they get.

import { expect, it } from "vitest";
import { createOpenStreams } from "../../../../main/engines/sherpa/open-streams.ts";

/** Each sample is its place in the speech. */
const speech = (samples: number): Float32Array =>
  Float32Array.from({ length: samples }, (_, place) => place);

function open() {
  let nowMs = 0;
  const given: number[][] = [];
  const streams = createOpenStreams(
    () => {
      const places: number[] = [];
      given.push(places);
      return {
        acceptWaveform: ({ samples }) => void places.push(...samples),
        inputFinished: () => void places.push(-1),
      };
    },
    () => nowMs,
  );
  return {
    given,
    streams,
    pass: (ms: number) => void (nowMs += ms),
    draft: (id: string, samples: number, isOver = false) =>
      streams.use({ id, isOver }, samples, async (fed) => {
        fed.feed(speech(samples));
        if (isOver) fed.finish(new Float32Array(1));
      }),
  };
}

it("gives each sample to the stream of its speech once", async () => {
  const { given, draft } = open();
  await draft("one", 3);
  await draft("other", 2);
  await draft("one", 3);
  await draft("one", 5, true);
  expect(given).toEqual([
    [0, 1, 2, 3, 4, 0, -1],
    [0, 1],
  ]);
});

it("begins again after speech is over, or with less than the stream was given", async () => {
  const { given, draft } = open();
  await draft("one", 3);
  await draft("one", 2);
  await draft("one", 4, true);
  await draft("one", 2);
  expect(given).toEqual([
    [0, 1, 2],
    [0, 1, 2, 3, 0, -1],
    [0, 1],
  ]);
});

it("keeps no stream whose use failed: it may have been given samples that were not decoded", async () => {
  const { given, draft, streams } = open();
  const failure = streams.use({ id: "one", isOver: false }, 3, (fed) => {
    fed.feed(speech(3));
    return Promise.reject(new Error("aborted"));
  });
  await expect(failure).rejects.toThrow("aborted");
  await draft("one", 4);
  expect(given[1]).toEqual([0, 1, 2, 3]);
});

it("keeps the four streams used last, and those for a minute", async () => {
  const { given, draft, pass } = open();
  for (const id of ["a", "b", "c", "d"]) await draft(id, 1);
  await draft("a", 2);
  await draft("e", 1);
  // Only the one that was used least has gone.
  for (const id of ["a", "c", "d", "e"]) await draft(id, 3);
  expect(given).toHaveLength(5);
  await draft("b", 1);
  expect(given).toHaveLength(6);
  pass(60_001);
  await draft("b", 2);
  await draft("e", 4);
  expect(given).toHaveLength(7);
});
