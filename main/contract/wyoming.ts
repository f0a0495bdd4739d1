// The port for Home Assistant's Wyoming protocol, as it is set in the window.

import { z } from "zod";
import { portNumber } from "./port-number.ts";

export const wyomingSettings = z.object({
  isOn: z.boolean(),
  port: portNumber,
  /** Other machines reach it, without any key. */
  isNetworkOpen: z.boolean(),
  /** Announced on the network, where other machines reach it. */
  isAnnounced: z.boolean(),
});
export type WyomingSettings = z.infer<typeof wyomingSettings>;

export const defaultWyomingSettings: WyomingSettings = {
  isOn: false,
  port: 10_300,
  isNetworkOpen: false,
  isAnnounced: true,
};

const { isOn, port, isNetworkOpen, isAnnounced } = wyomingSettings.shape;
export const wyomingChange = z.object({
  isOn: isOn.exactOptional(),
  port: port.exactOptional(),
  isNetworkOpen: isNetworkOpen.exactOptional(),
  isAnnounced: isAnnounced.exactOptional(),
});
export type WyomingChange = z.infer<typeof wyomingChange>;

/** The settings in effect, and the names of those that were given at the start. */
export const wyomingState = wyomingSettings.extend({
  given: z.array(wyomingSettings.keyof()),
});
export type WyomingState = z.infer<typeof wyomingState>;
