import { expect, it } from "vitest";
import { createChildLossCheck } from "../../../../main/engines/pool/retry-on-child-loss.ts";
import { appError } from "../../../support/app-error.ts";
import { ChildLostError } from "../../../../main/engines/pool/child-lost-error.ts";

const restarts = () => createChildLossCheck(() => appError("undecodable_audio", "twice"));

it("retries once after the work itself ended its child process", () => {
  const restart = restarts();
  restart(new ChildLostError("crashed", "segment.step"));
  expect(() => restart(new ChildLostError("crashed", "segment.open"))).toThrow("twice");
});

it("retries more often where the work was not the cause", () => {
  const restart = restarts();
  const losses = [
    ...Array.from({ length: 8 }, () => new ChildLostError("ended by another")),
    new ChildLostError("crashed", "segment.step"),
  ];
  expect(() => losses.forEach(restart)).not.toThrow();
});

it("gives up when every engine process ends", () => {
  const restart = restarts();
  const untilItThrows = () => {
    for (let loss = 0; loss < 100; loss += 1) restart(new ChildLostError("did not start"));
  };
  expect(untilItThrows).toThrow(expect.objectContaining({ key: "engine_failed" }));
});

it("passes on other errors", () => {
  const other = appError("audio_too_short", "too short");
  expect(() => restarts()(other)).toThrow(other);
});
