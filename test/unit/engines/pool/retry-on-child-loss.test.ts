import { expect, it } from "vitest";
import { createChildLossCheck } from "../../../../main/engines/pool/retry-on-child-loss.ts";
import { AppError } from "../../../../main/contract/errors.ts";
import { ChildLostError } from "../../../../main/engines/pool/child-lost-error.ts";

const restarts = () => createChildLossCheck(() => new AppError("undecodable_audio", "twice"));

it("begins again once after a child was lost to the work itself", () => {
  const restart = restarts();
  restart(new ChildLostError("crashed", "segment.step"));
  expect(() => restart(new ChildLostError("crashed", "segment.open"))).toThrow("twice");
});

it("begins again more often where the work was not at fault", () => {
  const restart = restarts();
  const losses = [
    ...Array.from({ length: 8 }, () => new ChildLostError("ended by another")),
    new ChildLostError("crashed", "segment.step"),
  ];
  expect(() => losses.forEach(restart)).not.toThrow();
});

it("gives up where no engine process stays alive", () => {
  const restart = restarts();
  const untilItThrows = () => {
    for (let loss = 0; loss < 100; loss += 1) restart(new ChildLostError("did not start"));
  };
  expect(untilItThrows).toThrow(expect.objectContaining({ key: "engine_failed" }));
});

it("passes other failures on", () => {
  const other = new AppError("audio_too_short", "too short");
  expect(() => restarts()(other)).toThrow(other);
});
