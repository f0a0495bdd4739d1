import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createClipMeasurements } from "../../../main/models/clip-measurements.ts";
import { measuringClips, readMeasuringClip } from "../../../main/models/measuring-clips.ts";
import { hookWrites } from "../../../main/storage/disk.ts";
import { quietLog } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

const measured = {
  model: "whisper-base",
  clip: "mine.wav",
  language: "de",
  unit: "words",
  length: 10,
  substituted: 1,
  deleted: 0,
  inserted: 0,
  rate: 0.1,
  measuredAt: 1,
} as const;
const nova = { model: "hibari", voice: "nova" };
const echo = { model: "hibari", voice: "echo" };

async function open() {
  const dataDir = await openTestFolder();
  const onChange = vi.fn<() => void>();
  const reopen = () => createClipMeasurements({ dataDir, onChange, log: quietLog });
  return { dataDir, onChange, reopen, measurements: reopen() };
}

it("keeps the last measurement of each model and clip, the newest first", async () => {
  const { measurements, reopen } = await open();
  measurements.add(measured);
  measurements.add({ ...measured, model: "moonshine-base" });
  measurements.add({ ...measured, rate: 0.2, measuredAt: 2 });
  expect(measurements.list().map(({ model, rate }) => [model, rate])).toEqual([
    ["whisper-base", 0.2],
    ["moonshine-base", 0.1],
  ]);
  expect(reopen().list()).toEqual(measurements.list());
});

it("adds up only errors of the same unit, that of the newest clip", async () => {
  const { measurements } = await open();
  const characters = { ...measured, clip: "chinese.wav", unit: "characters", length: 40 } as const;
  measurements.add(measured);
  measurements.add(characters);
  expect(measurements.errorRatesOf("whisper-base")).toEqual({
    de: { rate: 1 / 40, unit: "characters", clips: 1 },
  });
});

it("removes a measurement once", async () => {
  const { measurements, onChange, reopen } = await open();
  const { id } = measurements.add(measured);
  measurements.remove(id);
  expect(reopen().list()).toEqual([]);
  expect(() => measurements.remove(id)).toThrow("There is no such measurement.");
  expect(onChange).toHaveBeenCalledTimes(2);
});

it("counts votes on voices, the most successful first", async () => {
  const { measurements, reopen } = await open();
  measurements.vote({ first: nova, second: echo, isTie: true });
  measurements.vote({ first: echo, second: nova, isTie: false });
  expect(reopen().tallies()).toEqual([
    { ...echo, won: 1, lost: 0, tied: 1 },
    { ...nova, won: 0, lost: 1, tied: 1 },
  ]);
});

it("begins anew if its file is damaged, and keeps nothing that could not be written", async () => {
  const { dataDir, reopen } = await open();
  await writeFile(join(dataDir, "measurements.json"), "{");
  const measurements = reopen();
  const restore = hookWrites(() => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  });
  try {
    expect(() => measurements.add(measured)).toThrow("full");
  } finally {
    restore();
  }
  expect(measurements.list()).toEqual([]);
});

it("has all its clips, and no others", async () => {
  for (const { id } of measuringClips)
    expect((await readMeasuringClip(id)).length).toBeGreaterThan(5000);
  await expect(readMeasuringClip("../../secret")).rejects.toMatchObject({ key: "not_found" });
});
