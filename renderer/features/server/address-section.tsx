// Address of the API, the owner's key, and whether the local network may connect.

import { ExternalLink, Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { AppInfo } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { changeServer } from "../../stores/info.ts";
import { useTask } from "../../stores/task.ts";
import { IconButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";
import { docsUrl, networkUrls } from "./addresses.ts";
import { ApiPortField } from "./port-field.tsx";

export function AddressSection({ info }: { info: AppInfo }) {
  const [isKeyShown, setKeyShown] = useState(false);
  const task = useTask();
  const { baseUrl, apiKey } = info;
  return (
    <Section title={t("server.address")} about={t("server.address.about")}>
      <dl className="server-facts">
        <dt>{t("server.baseUrl")}</dt>
        <dd>
          {baseUrl === undefined ? (
            <span className="secondary">{t("server.stopped")}</span>
          ) : (
            <>
              <code>{baseUrl}</code>
              <CopyButton label={t("server.baseUrl.copy")} text={baseUrl} />
            </>
          )}
        </dd>
        <dt>{t("server.port")}</dt>
        <dd>
          <ApiPortField info={info} />
        </dd>
        <dt>{t("server.key")}</dt>
        <dd>
          <code>{isKeyShown ? apiKey : `${apiKey.slice(0, 6)}${"•".repeat(12)}`}</code>
          <IconButton
            label={isKeyShown ? t("server.key.hide") : t("server.key.show")}
            isSmall
            onClick={() => setKeyShown(!isKeyShown)}
          >
            {isKeyShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          </IconButton>
          <CopyButton label={t("server.key.copy")} text={apiKey} />
        </dd>
        {info.wyoming !== undefined && (
          <>
            <dt>{t("server.wyoming")}</dt>
            <dd>
              <code>{`${info.wyoming.host}:${info.wyoming.port}`}</code>
              <span className="secondary">{t("server.wyoming.noKey")}</span>
            </dd>
          </>
        )}
        {baseUrl !== undefined && (
          <>
            <dt>{t("server.docs")}</dt>
            <dd>
              <a href={docsUrl(baseUrl)} target="_blank" rel="noreferrer">
                {t("server.docs.open")} <ExternalLink size="0.8em" aria-hidden />
              </a>
            </dd>
          </>
        )}
      </dl>
      <div className="server-network">
        <Switch
          label={t("server.network")}
          help={t("server.network.help")}
          isOn={info.isNetworkOpen}
          onChange={(isNetworkOpen) =>
            void task.run(() => changeServer({ isRunning: baseUrl !== undefined, isNetworkOpen }))
          }
        />
      </div>
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      {info.isNetworkOpen && (
        <Notice tone="warn">
          <p>
            {t("server.network.warning")}{" "}
            {t(baseUrl === undefined ? "server.network.stopped" : "server.network.reached")}
          </p>
          {baseUrl !== undefined && (
            <ul>
              {networkUrls(info).map((url) => (
                <li key={url} className="server-secret">
                  <code>{url}</code>
                  <CopyButton label={t("frame.server.copy", { url })} text={url} />
                </li>
              ))}
            </ul>
          )}
        </Notice>
      )}
    </Section>
  );
}
