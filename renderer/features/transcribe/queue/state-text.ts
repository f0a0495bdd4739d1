// Short description of an item's state.

import type { Item } from "../../../../main/contract/library-item.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";

/** Shorter remaining times would be over before they are read. */
const minRemainingSec = 2;

export function stateText({ state, progress, leftSec, isPartial }: Item): string {
  if (state === "running") {
    const percent = Math.floor(progress * 100);
    return leftSec !== undefined && leftSec >= minRemainingSec
      ? t("transcribe.state.running-left", { percent, left: formatTime(leftSec) })
      : t("transcribe.state.running", { percent });
  }
  return state === "done" && isPartial
    ? t("transcribe.state.partial")
    : t(`transcribe.state.${state}`);
}
