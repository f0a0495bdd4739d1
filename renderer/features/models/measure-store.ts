// What the person measured, votes on voices, and the clips that come with the app, as the server has them. The page
// that shows them reads them again when an event tells that they changed.

import { create } from "zustand";
import type {
  Measurement,
  MeasuringClip,
  VoiceTally,
} from "../../../main/contract/measurements.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/error.ts";
import { toast } from "../../stores/toasts.ts";

export const useMeasurements = create<{
  measurements: readonly Measurement[];
  voices: readonly VoiceTally[];
  clips: readonly MeasuringClip[];
}>(() => ({ measurements: [], voices: [], clips: [] }));

export async function loadMeasurements(): Promise<void> {
  try {
    useMeasurements.setState(await call("listMeasurements", {}));
  } catch (error) {
    toast({ tone: "bad", text: () => messageOf(error) });
  }
}

export async function removeMeasurement(id: string): Promise<void> {
  try {
    await call("removeMeasurement", {}, id);
  } catch (error) {
    toast({ tone: "bad", text: () => messageOf(error) });
  }
}
