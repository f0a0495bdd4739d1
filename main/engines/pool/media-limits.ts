// Default limits for untrusted media. In a module without codec imports, because the server process reads it too.

import type { MediaLimits } from "./protocol.ts";

export const defaultMediaLimits: MediaLimits = {
  maxDurationSec: 24 * 3600,
  tempRatio: 16,
  tempExtraBytes: 1e9,
};
