// The podcast feed: switched on or off, its address as a QR code and as text, and a new address.

import { useEffect, useState } from "react";
import type { PodcastFeed } from "../../../main/contract/podcast-feed.ts";
import type { AppInfo } from "../../../main/contract/window-api.ts";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { go } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";
import { networkUrls } from "./addresses.ts";
import { QrCode } from "./qr-code.tsx";

export function FeedSection({ info }: { info: AppInfo }) {
  const { feed, setFeed, error } = useFeed();
  const switching = useTask();
  const failure = switching.error ?? error;
  const setOn = (isOn: boolean): void =>
    void switching.run(async (signal) =>
      setFeed(await call("changePodcastFeed", { isOn }, "", signal)),
    );
  return (
    <Section title={t("server.feed")} about={t("server.feed.about")}>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      {feed !== undefined && (
        <>
          <div className="server-network">
            <Switch
              label={t("server.feed.on")}
              help={t("server.feed.on.help")}
              isOn={feed.isOn}
              onChange={setOn}
            />
          </div>
          {feed.isOn && <FeedAddress info={info} feed={feed} onRenewed={setFeed} />}
        </>
      )}
    </Section>
  );
}

/** Follows the app's events while it is shown. */
function useFeed() {
  const [feed, setFeed] = useState<PodcastFeed>();
  const { run, cancel, error } = useTask();
  useEffect(() => {
    const load = (): void => {
      // What is being read may be older than the event.
      cancel();
      void run(async (signal) => setFeed(await call("readPodcastFeed", {}, "", signal)));
    };
    load();
    const unsubscribe = eventStream().subscribe((event) => {
      if (event.type === "feed") load();
    });
    return () => {
      unsubscribe();
      cancel();
    };
  }, [run, cancel]);
  return { feed, setFeed, error };
}

function FeedAddress({
  info,
  feed,
  onRenewed,
}: {
  info: AppInfo;
  feed: PodcastFeed;
  onRenewed: (feed: PodcastFeed) => void;
}) {
  const [chosenUrl, setChosenUrl] = useState("");
  const obstacle = obstacleOf(info);
  if (obstacle !== undefined)
    return (
      <Notice
        tone="warn"
        action={
          <Button isSmall onClick={() => go("/server/address")}>
            {t("server.feed.openAddress")}
          </Button>
        }
      >
        {t(obstacle)}
      </Notice>
    );
  const urls = networkUrls(info, feed.path);
  const url = urls.find((each) => each === chosenUrl) ?? urls[0] ?? "";
  return (
    <div className="server-feed">
      <QrCode text={url} label={t("server.feed.code")} />
      <div className="server-feed-text">
        <p>{t("server.feed.scan")}</p>
        {urls.length > 1 && (
          <Select
            label={t("server.feed.network")}
            value={url}
            onChange={({ currentTarget: { value } }) => setChosenUrl(value)}
          >
            {urls.map((each) => (
              <option key={each} value={each}>
                {new URL(each).hostname}
              </option>
            ))}
          </Select>
        )}
        <p className="server-secret">
          <code>{url}</code>
          <CopyButton label={t("server.feed.copy")} text={url} />
        </p>
        <p className="secondary">{episodesText(feed)}</p>
        <RenewButton onRenewed={onRenewed} />
      </div>
    </div>
  );
}

/** Why no phone can reach the feed. */
function obstacleOf({ baseUrl, isNetworkOpen, addresses }: AppInfo) {
  if (!isNetworkOpen) return "server.feed.blocked";
  if (baseUrl === undefined) return "server.feed.stopped";
  return addresses.length === 0 ? "server.feed.noAddress" : undefined;
}

function episodesText({ episodes: { ready, total } }: PodcastFeed): string {
  if (total === 0) return t("server.feed.none");
  return ready === total
    ? t("server.feed.ready", { total })
    : t("server.feed.generating", { ready, total });
}

function RenewButton({ onRenewed }: { onRenewed: (feed: PodcastFeed) => void }) {
  const [isAsking, setAsking] = useState(false);
  const renewal = useTask();
  const renew = async (): Promise<void> => {
    const isDone = await renewal.run(async () => onRenewed(await call("renewPodcastFeed", {})));
    if (isDone) setAsking(false);
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t("server.feed.renew")}</Button>
      <Confirm
        title={t("server.feed.renew")}
        text={t("server.feed.renew.text")}
        verb={t("server.feed.renew")}
        isOpen={isAsking}
        isBusy={renewal.isBusy}
        error={renewal.error}
        onConfirm={() => void renew()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
