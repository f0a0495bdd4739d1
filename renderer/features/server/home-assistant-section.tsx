// The port for Home Assistant: switched on or off, its number, who reaches it, and whether it is announced.

import type { AppInfo } from "../../../main/contract/window-api.ts";
import type { WyomingSettings } from "../../../main/contract/wyoming.ts";
import { t } from "../../messages/messages.ts";
import { changeWyoming } from "../../stores/info.ts";
import { useTask } from "../../stores/task.ts";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";
import { PortField } from "./port-field.tsx";

/** What fixes a setting at the start. */
const variables: Readonly<Record<keyof WyomingSettings, string>> = {
  isOn: "HEARSAY_WYOMING_PORT",
  port: "HEARSAY_WYOMING_PORT",
  isNetworkOpen: "HEARSAY_WYOMING_HOST",
  isAnnounced: "HEARSAY_WYOMING_ANNOUNCE",
};

export function HomeAssistantSection({ info }: { info: AppInfo }) {
  const task = useTask();
  const settings = info.wyomingSettings;
  const { isOn, port, isNetworkOpen } = settings;
  const isGiven = (name: keyof WyomingSettings): boolean => settings.given.includes(name);
  const option = (name: "isOn" | "isNetworkOpen" | "isAnnounced", label: string, help: string) => (
    <Switch
      label={label}
      help={isGiven(name) ? t("server.wyoming.given", { variable: variables[name] }) : help}
      isOn={settings[name]}
      isFixed={isGiven(name)}
      onChange={(value) => void task.run(() => changeWyoming({ [name]: value }))}
    />
  );
  return (
    <Section title={t("server.wyoming")} about={t("server.wyoming.about")}>
      <div className="server-network">
        {option("isOn", t("server.wyoming.on"), t("server.wyoming.on.help"))}
        {isOn && option("isNetworkOpen", t("server.wyoming.open"), t("server.wyoming.open.help"))}
        {isOn &&
          isNetworkOpen &&
          option("isAnnounced", t("server.wyoming.announce"), t("server.wyoming.announce.help"))}
      </div>
      {isOn && (
        <dl className="server-facts">
          <dt>{t("server.port")}</dt>
          <dd>
            {isGiven("port") ? (
              <code>{port}</code>
            ) : (
              <PortField
                actionId="server.wyoming.port"
                label={t("server.wyoming.port")}
                changeText={t("server.wyoming.port.change")}
                port={port}
                onChange={(newPort) => changeWyoming({ port: newPort })}
              />
            )}
          </dd>
        </dl>
      )}
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      {isOn && info.wyoming === undefined && (
        <Notice tone="warn">
          {t(info.baseUrl === undefined ? "server.wyoming.stopped" : "server.wyoming.closed")}
        </Notice>
      )}
      {isOn && isNetworkOpen && (
        <Notice tone="warn">
          <p>{t("server.wyoming.warning")}</p>
        </Notice>
      )}
    </Section>
  );
}
