// Opens the captions: the desktop's window that stays on top, or one of the browser.

import { appUrl } from "../api/base.ts";
import { messageOf } from "../api/error.ts";
import { desktopBridge } from "../bridge/desktop.ts";
import { t } from "../messages/messages.ts";
import { captionsPath } from "./route.ts";
import { toast } from "./toasts.ts";

export async function openCaptions(): Promise<void> {
  try {
    const bridge = desktopBridge();
    if (bridge !== undefined) await bridge.openCaptions();
    else if (open(appUrl(captionsPath), "hearsay-captions", "popup,width=900,height=320") === null)
      toast({ tone: "bad", text: t("frame.captions.refused") });
  } catch (error) {
    toast({ tone: "bad", text: messageOf(error) });
  }
}
