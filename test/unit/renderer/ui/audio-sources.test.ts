import { expect, it } from "vitest";
import { isSystemDevice } from "../../../../renderer/bridge/audio-devices.ts";
import { microphoneProblem, sharingProblem } from "../../../../renderer/bridge/audio-source.ts";
import {
  deviceValue,
  sharedValue,
  sourceChoices,
  fromChoiceValue,
  toChoiceValue,
} from "../../../../renderer/ui/audio-sources.ts";

const devices = ["Built-in", "Monitor of Speakers"].map((label) => ({
  label,
  isSystem: isSystemDevice(label),
}));

it("detects by their names devices that record what is played", () => {
  const names = [
    "Monitor of Built-in Audio",
    "alsa_output.pci.monitor",
    "Stereo Mix (Realtek)",
    "Stereomix",
    "BlackHole 2ch",
    "USB Microphone",
    "Monitoring headset",
  ];
  expect(names.filter(isSystemDevice)).toEqual(names.slice(0, 5));
});

it("lists microphones and monitors, and a chosen device that is missing once names are available", () => {
  expect(sourceChoices(devices, { kind: "microphone" }, true)).toEqual({
    microphones: ["Built-in"],
    monitors: ["Monitor of Speakers"],
    gone: undefined,
  });
  expect(
    sourceChoices(devices, { kind: "microphone", deviceLabel: "Headset" }, true).missingDevice,
  ).toBe("Headset");
  expect(
    sourceChoices([], { kind: "microphone", deviceLabel: "Headset" }, false).missingDevice,
  ).toBeUndefined();
});

it("remembers the chosen microphone while system audio is selected", () => {
  const shared = fromChoiceValue(sharedValue, { kind: "microphone", deviceLabel: "Headset" });
  expect([shared, toChoiceValue(shared)]).toEqual([
    { kind: "system", deviceLabel: "Headset" },
    sharedValue,
  ]);
  expect(fromChoiceValue("", shared)).toEqual({ kind: "microphone" });
  const chosen = fromChoiceValue(deviceValue("shared"), shared);
  expect([chosen, toChoiceValue(chosen)]).toEqual([
    { kind: "microphone", deviceLabel: "shared" },
    deviceValue("shared"),
  ]);
});

const named = (name: string) => new DOMException("", name);

it("explains why there is no audio", () => {
  expect(
    ["NotAllowedError", "NotFoundError", "NotReadableError"].map((name) =>
      microphoneProblem(named(name)),
    ),
  ).toEqual(["refused", "missing", "busy"]);
  expect(
    ["NotAllowedError", "NotFoundError", "InvalidStateError"].map((name) =>
      sharingProblem(named(name)),
    ),
  ).toEqual(["not-shared", "no-sound", "no-click"]);
});
