// Names of clips as people see them.

import type { MeasuringClip } from "../../../main/contract/measurements.ts";
import { languageName } from "../../ui/language-name.ts";

/** @param name of the clip in a measurement: for a clip that comes with the app its id, such as `german-1` */
export function clipTitle(name: string, appClips: readonly MeasuringClip[]): string {
  const clip = appClips.find(({ id }) => id === name);
  return clip === undefined ? name : `${languageName(clip.language)} ${name.split("-").at(-1)}`;
}
