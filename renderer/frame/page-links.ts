// The pages with title, icon and key, for the rail, the palette and the keys.

import {
  AudioLines,
  Boxes,
  Library,
  Mic,
  Network,
  Server,
  Settings2,
  type LucideIcon,
} from "lucide-react";
import { t } from "../messages/messages.ts";
import type { PageName } from "../stores/route.ts";

/** `key` is pressed after `g`. */
export type PageLink = {
  readonly page: PageName;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly key: string;
};

export const pageLinks = (): readonly PageLink[] => [
  { page: "transcribe", title: t("frame.page.transcribe"), icon: Mic, key: "t" },
  { page: "narrate", title: t("frame.page.narrate"), icon: AudioLines, key: "n" },
  { page: "library", title: t("frame.page.library"), icon: Library, key: "l" },
  { page: "models", title: t("frame.page.models"), icon: Boxes, key: "m" },
  { page: "channels", title: t("frame.page.channels"), icon: Network, key: "c" },
  { page: "server", title: t("frame.page.server"), icon: Server, key: "s" },
  { page: "settings", title: t("frame.page.settings"), icon: Settings2, key: "," },
];
