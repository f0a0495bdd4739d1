// The left rail: links to pages, and at the bottom the API's status.

import "./rail.css";
import { CloudOff, PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { copyText } from "../bridge/bridge.ts";
import { t } from "../messages/messages.ts";
import { useInfo } from "../stores/info.ts";
import { useConnection } from "../stores/event-stream.ts";
import { changePreferences } from "../stores/preferences.ts";
import { go, useRoute } from "../stores/route.ts";
import { toast } from "../stores/toasts.ts";
import { IconButton } from "../ui/button.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { Recordings } from "./recordings.tsx";
import { pageLinks, type PageLink } from "./page-links.ts";
import { useRailWidth } from "./rail-width.ts";

function RailLink({
  pageLink: { page, title, icon: Icon, key },
  isNarrow,
}: {
  pageLink: PageLink;
  isNarrow: boolean;
}) {
  const { page: currentPage } = useRoute();
  const link = (
    <a
      className="rail-place"
      href={`#/${page}`}
      aria-current={currentPage === page ? "page" : undefined}
      aria-label={isNarrow ? title : undefined}
    >
      <Icon aria-hidden />
      {!isNarrow && title}
    </a>
  );
  return isNarrow ? (
    <Tooltip text={title} keys={`g ${key}`} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

/** Shown while no other machine is contacted; opens the switch. */
function OfflineLink({ isNarrow }: { isNarrow: boolean }) {
  const link = (
    <a
      className="rail-place"
      href="#/settings"
      aria-label={isNarrow ? t("frame.offline") : undefined}
    >
      <CloudOff aria-hidden />
      {!isNarrow && t("frame.offline")}
    </a>
  );
  return (
    <Tooltip text={t("frame.offline.about")} side="right">
      {link}
    </Tooltip>
  );
}

function ServerState({ isNarrow }: { isNarrow: boolean }) {
  const info = useInfo((state) => state.info);
  const isDisconnected = useConnection((state) => state.isOpen === false);
  const baseUrl = info?.baseUrl;
  const text = isDisconnected
    ? t("frame.server.lost")
    : baseUrl === undefined
      ? t("frame.server.stopped")
      : t("frame.server.running", { port: String(info?.port ?? "") });
  const button = (
    <button
      type="button"
      className="rail-server"
      aria-label={isNarrow ? text : undefined}
      onClick={async () => {
        if (baseUrl === undefined || isDisconnected) go("/server");
        else
          toast(
            (await copyText(baseUrl))
              ? { text: () => t("frame.server.copied", { url: baseUrl }) }
              : { tone: "bad", text: () => t("frame.copy.refused") },
          );
      }}
    >
      <span
        className={`rail-dot ${isDisconnected ? "rail-dot-lost" : baseUrl === undefined ? "" : "rail-dot-on"}`}
      />
      {!isNarrow && text}
    </button>
  );
  return (
    <Tooltip
      side="right"
      text={
        baseUrl === undefined || isDisconnected ? text : t("frame.server.copy", { url: baseUrl })
      }
    >
      {button}
    </Tooltip>
  );
}

export function Rail() {
  const { isNarrow, isForced } = useRailWidth();
  const isOffline = useInfo((state) => state.info?.isOffline === true);
  const all = pageLinks();
  return (
    <nav className="rail" aria-label={t("frame.pages")}>
      <div className="rail-head">
        {!isNarrow && <span className="rail-name">Hearsay</span>}
        <IconButton
          label={isNarrow ? t("frame.rail.widen") : t("frame.rail.narrow")}
          disabledReason={isForced ? t("frame.rail.forced") : undefined}
          keys="["
          side="right"
          isSmall
          onClick={() => void changePreferences({ isRailNarrow: !isNarrow })}
        >
          {isNarrow ? <PanelLeftOpen aria-hidden /> : <PanelLeftClose aria-hidden />}
        </IconButton>
      </div>
      <div className="rail-places">
        {all.slice(0, -1).map((pageLink) => (
          <RailLink key={pageLink.page} pageLink={pageLink} isNarrow={isNarrow} />
        ))}
      </div>
      <div className="rail-foot">
        <Recordings isNarrow={isNarrow} />
        {isOffline && <OfflineLink isNarrow={isNarrow} />}
        <ServerState isNarrow={isNarrow} />
        {all.slice(-1).map((pageLink) => (
          <RailLink key={pageLink.page} pageLink={pageLink} isNarrow={isNarrow} />
        ))}
      </div>
    </nav>
  );
}
