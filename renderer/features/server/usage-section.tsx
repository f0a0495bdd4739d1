// Usage: a chart by day, and totals by model, channel or key.

import "../../ui/table.css";
import { useEffect, useMemo, useState } from "react";
import type { ApiResponse } from "../../../main/contract/api.ts";
import { ownCallers, usageGroups, type UsageGroup } from "../../../main/contract/usage.ts";
import { call } from "../../api/client.ts";
import { formatCost, formatCount, formatDate } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { useTask } from "../../stores/task.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { callerName } from "./caller-name.ts";
import {
  dailyValues,
  lastDays,
  metrics,
  ranges,
  type Metric,
  type RangeDays,
} from "./usage-days.ts";

type Usage = ApiResponse<"readUsage">;
type LoadedUsage = { days: Usage; sums: Usage; keyNames: ReadonlyMap<string, string> };

const formats: Record<Metric, (value: number) => string> = {
  requests: formatCount,
  transcribed: (minutes) => t("server.usage.minutes", { minutes }),
  characters: formatCount,
  spent: formatCost,
  saved: formatCost,
};

export function UsageSection() {
  const [range, setRange] = useState<RangeDays>(30);
  const [by, setBy] = useState<UsageGroup>("model");
  const [metric, setMetric] = useState<Metric>("requests");
  const [loadedUsage, setLoadedUsage] = useState<LoadedUsage>();
  const { run, cancel, error } = useTask();
  const days = useMemo(() => lastDays(range, new Date()), [range]);
  useEffect(() => {
    void run(async (signal) => {
      const from = { from: days[0] ?? "" };
      const [byDay, sums, { keys }] = await Promise.all([
        call("readUsage", { by: "day", ...from }, "", signal),
        call("readUsage", { by, ...from }, "", signal),
        call("listKeys", {}, "", signal),
      ]);
      setLoadedUsage({
        days: byDay,
        sums,
        keyNames: new Map(keys.map((key) => [key.id, key.name])),
      });
    });
    return cancel;
  }, [days, by, run, cancel]);
  const bars = useMemo(
    () => dailyValues(days, loadedUsage?.days.sums ?? [], metric),
    [days, loadedUsage, metric],
  );
  return (
    <Section
      title={t("server.usage")}
      about={t("server.usage.about")}
      actions={
        <Segmented
          label={t("server.usage.range")}
          value={String(range)}
          choices={ranges.map((each) => ({
            value: String(each),
            label: t("server.usage.days", { days: each }),
          }))}
          onChange={(next) => setRange(Number(next) as RangeDays)}
        />
      }
    >
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {loadedUsage?.days.total.requests === 0 && (
        <EmptyState title={t("server.usage.none")} text={t("server.usage.none.text")} />
      )}
      {loadedUsage !== undefined && loadedUsage.days.total.requests > 0 && (
        <>
          <Totals total={loadedUsage.days.total} />
          <div>
            <Segmented
              label={t("server.usage.metric")}
              value={metric}
              choices={metrics.map((value) => ({ value, label: t(`server.metric.${value}`) }))}
              onChange={setMetric}
            />
          </div>
          <BarChart
            label={t("server.usage.chart", { metric: t(`server.metric.${metric}`), days: range })}
            days={bars}
            format={formats[metric]}
          />
          <div>
            <Segmented
              label={t("server.usage.by")}
              value={by}
              choices={usageGroups.map((value) => ({ value, label: t(`server.by.${value}`) }))}
              onChange={setBy}
            />
          </div>
          <TotalsTable usage={loadedUsage.sums} keyNames={loadedUsage.keyNames} />
          {loadedUsage.days.total.unpriced > 0 && (
            <Notice>
              {t("server.usage.unpriced", { count: loadedUsage.days.total.unpriced })}
            </Notice>
          )}
        </>
      )}
    </Section>
  );
}

const Totals = ({ total }: { total: Usage["total"] }) => (
  <dl className="server-figures">
    {metrics.map((metric) => (
      <div key={metric}>
        <dt>{t(`server.metric.${metric}`)}</dt>
        <dd>
          {formats[metric](
            {
              requests: total.requests,
              transcribed: total.audioSec / 60,
              characters: total.characters,
              spent: total.spentUsd,
              saved: total.savedUsd,
            }[metric],
          )}
        </dd>
      </div>
    ))}
  </dl>
);

function TotalsTable({
  usage: { by, sums },
  keyNames,
}: {
  usage: Usage;
  keyNames: ReadonlyMap<string, string>;
}) {
  const nameOf = (group: string) =>
    by === "day"
      ? formatDate(new Date(`${group}T12:00`).getTime())
      : by === "key"
        ? callerName(group, keyNames, (own) => t(`server.caller.${own}`), ownCallers)
        : group === ""
          ? t("server.log.nobody")
          : group === "local"
            ? t("server.local")
            : group;
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th>{t(`server.by.${by}`)}</th>
            <th className="table-figure">{t("server.metric.requests")}</th>
            <th className="table-figure table-detail">{t("server.usage.failed")}</th>
            <th className="table-figure">{t("server.metric.transcribed")}</th>
            <th className="table-figure">{t("server.metric.characters")}</th>
            <th className="table-figure">{t("server.metric.spent")}</th>
            <th className="table-figure table-detail">{t("server.metric.saved")}</th>
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <tr key={sum.group}>
              <td>{nameOf(sum.group)}</td>
              <td className="table-figure">{formatCount(sum.requests)}</td>
              <td className="table-figure table-detail">{formatCount(sum.failed)}</td>
              <td className="table-figure">{formats.transcribed(sum.audioSec / 60)}</td>
              <td className="table-figure">{formatCount(sum.characters)}</td>
              <td className="table-figure">{formatCost(sum.spentUsd)}</td>
              <td className="table-figure table-detail">{formatCost(sum.savedUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
