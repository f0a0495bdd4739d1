// The Server page: address, keys, usage and requests of the API. Each tab has its own path.

import "./server.css";
import { CircleStop, Play } from "lucide-react";
import { t } from "../../messages/messages.ts";
import { copyText } from "../../bridge/bridge.ts";
import { RegisterAction, useAction } from "../../stores/actions.ts";
import { changeServer, useInfo } from "../../stores/info.ts";
import { go, useRoute } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { toast } from "../../stores/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame, PageSections } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { AddressSection } from "./address-section.tsx";
import { CodeSection } from "./code-section.tsx";
import { FeedSection } from "./feed-section.tsx";
import { HomeAssistantSection } from "./home-assistant-section.tsx";
import { KeysSection } from "./keys-section.tsx";
import { LogSection } from "./log-section.tsx";
import { UsageSection } from "./usage-section.tsx";

const tabs = ["address", "keys", "feed", "usage", "requests"] as const;
type Tab = (typeof tabs)[number];

export function Page() {
  const { info, error } = useInfo();
  const { rest } = useRoute();
  const task = useTask();
  const isRunning = info?.baseUrl !== undefined;
  const tab: Tab = tabs.find((each) => each === rest[0]) ?? "address";
  const toggle = () =>
    void task.run(() =>
      changeServer({ isRunning: !isRunning, isNetworkOpen: info?.isNetworkOpen ?? false }),
    );
  const verb = isRunning ? t("server.stop") : t("server.start");
  useAction({
    id: "server.toggle",
    title: verb,
    keys: "s",
    run: toggle,
    disabledReason: info === undefined ? t("server.unknown") : undefined,
  });
  const openTab = (next: Tab): void => go(`/server/${next}`, { replace: true });
  const isNetworkOpen = info?.isNetworkOpen ?? false;
  const commands = [
    {
      id: "server.network",
      title: t(isNetworkOpen ? "server.network.off" : "server.network.on"),
      disabledReason: info === undefined ? t("server.unknown") : undefined,
      run: () => void task.run(() => changeServer({ isRunning, isNetworkOpen: !isNetworkOpen })),
    },
    {
      id: "server.baseUrl",
      title: t("server.baseUrl.copy"),
      disabledReason: isRunning ? undefined : t("server.stopped"),
      run: () => void copy(info?.baseUrl),
    },
    {
      id: "server.key",
      title: t("server.key.copy"),
      disabledReason: info === undefined ? t("server.unknown") : undefined,
      run: () => void copy(info?.apiKey),
    },
    ...tabs.map((value) => ({
      id: `server.part.${value}`,
      title: t(`server.part.${value}`),
      run: () => openTab(value),
    })),
  ];
  return (
    <PageFrame
      title={t("frame.page.server")}
      about={t("server.about")}
      actions={
        <Button
          kind={isRunning ? "secondary" : "primary"}
          icon={isRunning ? <CircleStop aria-hidden /> : <Play aria-hidden />}
          isBusy={task.isBusy}
          disabledReason={info === undefined ? t("server.unknown") : undefined}
          onClick={toggle}
        >
          {verb}
        </Button>
      }
    >
      <PageSections>
        <div>
          <Segmented
            label={t("server.parts")}
            value={tab}
            choices={tabs.map((value) => ({ value, label: t(`server.part.${value}`) }))}
            onChange={openTab}
          />
          {commands.map((command) => (
            <RegisterAction key={command.id} {...command} />
          ))}
        </div>
        {(task.error ?? error) !== undefined && <Notice tone="bad">{task.error ?? error}</Notice>}
        {tab === "address" && info !== undefined && (
          <>
            <AddressSection info={info} />
            <CodeSection info={info} />
            <HomeAssistantSection info={info} />
          </>
        )}
        {tab === "keys" && <KeysSection />}
        {tab === "feed" && info !== undefined && <FeedSection info={info} />}
        {tab === "usage" && <UsageSection />}
        {tab === "requests" && <LogSection />}
      </PageSections>
    </PageFrame>
  );
}

/** A command has no button that could show the outcome, so show a toast. */
async function copy(text: string | undefined): Promise<void> {
  if (text === undefined) return;
  toast(
    (await copyText(text))
      ? { text: () => t("frame.copied") }
      : { tone: "bad", text: () => t("frame.copy.refused") },
  );
}
