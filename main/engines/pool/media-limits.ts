// Limits for untrusted media. In a module without codec imports, because the server process reads it too.

import type { MediaLimits } from "./protocol.ts";

export const defaultMediaLimits: MediaLimits = {
  maxDurationSec: 24 * 3600,
  tempRatio: 16,
  tempExtraBytes: 1e9,
};

/** Each setting is optional; its default is in `defaultMediaLimits`. */
export const mediaLimits = ({
  maxAudioHours,
  tempRatio = defaultMediaLimits.tempRatio,
  tempMb,
}: {
  maxAudioHours?: number;
  tempRatio?: number;
  tempMb?: number;
}): MediaLimits => ({
  maxDurationSec:
    maxAudioHours === undefined ? defaultMediaLimits.maxDurationSec : maxAudioHours * 3600,
  tempRatio,
  tempExtraBytes: tempMb === undefined ? defaultMediaLimits.tempExtraBytes : tempMb * 1e6,
});
