// Desktop actions, available on every page: dictate into other programs, show an item's audio in the file manager,
// commands from menu and tray.

import { useEffect } from "react";
import { appUrl } from "../api/base.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";
import { desktopBridge } from "../bridge/desktop.ts";
import { t } from "../messages/messages.ts";
import { useAction } from "../stores/actions.ts";
import { useItems } from "../stores/items.ts";
import { openCaptions } from "../stores/captions-window.ts";
import { dictationPath, useRoute } from "../stores/route.ts";
import { showInFolder } from "../stores/show-in-folder.ts";
import { toast } from "../stores/toasts.ts";
import { handleDesktopCommands } from "./page-commands.ts";

async function dictate(): Promise<void> {
  try {
    if (desktopBridge() !== undefined) await call("dictate", {});
    else if (
      open(appUrl(dictationPath), "hearsay-dictation", "popup,width=420,height=260") === null
    )
      toast({ tone: "bad", text: () => t("frame.dictate.refused") });
  } catch (error) {
    toast({ tone: "bad", text: () => messageOf(error) });
  }
}

export function DesktopActions() {
  useEffect(handleDesktopCommands, []);
  useAction({
    id: "dictate",
    title: t("frame.dictate"),
    group: t("frame.group.window"),
    run: () => void dictate(),
  });
  useAction({
    id: "captions",
    title: t("frame.captions"),
    group: t("frame.group.window"),
    run: () => void openCaptions(),
  });
  return desktopBridge() === undefined ? null : <FolderAction />;
}

/** For the item that is open. */
function FolderAction() {
  const { page, rest } = useRoute();
  const [id] = page === "transcribe" || page === "narrate" ? rest : [];
  const item = useItems((state) => (id === undefined ? undefined : state.byId.get(id)));
  const disabledReason =
    item === undefined
      ? t("frame.folder.nothing")
      : item.hasMedia
        ? undefined
        : t("frame.folder.none", { title: item.title });
  useAction({
    id: "show-in-folder",
    title: t("frame.folder"),
    group: t("frame.group.window"),
    disabledReason,
    run: () => void (item !== undefined && showInFolder(item)),
  });
  return null;
}
