// What an expanded channel shows: its metrics and errors, and its test.

import { FlaskConical, Pencil } from "lucide-react";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { formatClock, formatCount, formatDecimal } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { Button } from "../../ui/button.tsx";
import { useTests } from "./channel-tests.ts";
import { successRate } from "./health.ts";
import { TestPanel } from "./test-panel.tsx";

export function ChannelState({
  channel,
  onTest,
  onEdit,
}: {
  channel: ChannelView;
  onTest: () => void;
  onEdit: () => void;
}) {
  const run = useTests(({ byId }) => byId.get(channel.id));
  return (
    <>
      <ChannelMetrics channel={channel} />
      <TestPanel id={channel.id} run={run} />
      <div className="channel-form-actions">
        <Button
          icon={<FlaskConical aria-hidden />}
          isBusy={run?.controller !== undefined}
          onClick={onTest}
        >
          {t("channels.test")}
        </Button>
        <Button icon={<Pencil aria-hidden />} onClick={onEdit}>
          {t("channels.edit")}
        </Button>
      </div>
    </>
  );
}

const seconds = (ms: number | undefined) =>
  ms === undefined ? "–" : t("channels.seconds", { sec: formatDecimal(ms / 1000, 2) });

function ChannelMetrics({ channel }: { channel: ChannelView }) {
  const { health, listError } = channel;
  const share = successRate(health);
  return (
    <>
      <dl className="channel-figures">
        <MetricItem name={t("channels.figure.prefix")} value={`${channel.prefix}/…`} />
        <MetricItem
          name={t("channels.figure.key")}
          value={t(`channels.figure.key.${channel.key}`)}
        />
        <MetricItem
          name={t("channels.figure.requests")}
          value={formatCount(health.successes + health.failures)}
        />
        <MetricItem
          name={t("channels.figure.good")}
          value={share === undefined ? "–" : t("channels.percent", { share })}
        />
        <MetricItem name={t("channels.figure.p50")} value={seconds(health.p50Ms)} />
        <MetricItem name={t("channels.figure.p95")} value={seconds(health.p95Ms)} />
      </dl>
      {channel.enabled && listError !== undefined && (
        <p className="channel-trouble">{t("channels.listError", { why: localize(listError) })}</p>
      )}
      {health.lastError !== undefined && (
        <p className="channel-trouble">
          {t("channels.lastError", {
            at: formatClock(health.lastError.atMs),
            why: localize(health.lastError.message),
          })}
        </p>
      )}
    </>
  );
}

const MetricItem = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
