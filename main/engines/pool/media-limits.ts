// What is taken of media from outside where the settings do not say otherwise. Apart from all that decodes: the app's
// own process reads it too.

import type { MediaLimits } from "./protocol.ts";

export const defaultMediaLimits: MediaLimits = {
  maxDurationSec: 24 * 3600,
  tempRatio: 16,
  tempExtraBytes: 1e9,
};
