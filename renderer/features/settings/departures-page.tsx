// What left this machine: by day and host, what it was for, and how much.

import "../../ui/table.css";
import { ArrowLeft, ShieldCheck, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { departureDays, type Departure } from "../../../main/contract/network.ts";
import { call } from "../../api/client.ts";
import { formatClock, formatCount, formatDate, formatSize } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { go } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame, PageSections, Section } from "../../ui/page-frame.tsx";

export function DeparturesPage() {
  const [departures, setDepartures] = useState<readonly Departure[]>();
  const [isClearing, setClearing] = useState(false);
  const { run, cancel, error } = useTask();
  const clearing = useTask();
  useEffect(() => {
    void run(async (signal) =>
      setDepartures((await call("listDepartures", {}, "", signal)).departures),
    );
    return cancel;
  }, [run, cancel]);
  const clear = async () => {
    const isDone = await clearing.run(async () =>
      setDepartures((await call("clearDepartures", {})).departures),
    );
    if (isDone) setClearing(false);
  };
  return (
    <PageFrame
      title={t("settings.departures")}
      about={t("settings.departures.kept", { days: departureDays })}
      actions={
        <>
          <Button icon={<ArrowLeft aria-hidden />} onClick={() => go("/settings")}>
            {t("frame.page.settings")}
          </Button>
          <Button
            icon={<Trash2 aria-hidden />}
            disabledReason={
              departures === undefined || departures.length === 0
                ? t("settings.departures.none")
                : undefined
            }
            onClick={() => setClearing(true)}
          >
            {t("settings.departures.clear")}
          </Button>
        </>
      }
    >
      <PageSections>
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
        {departures?.length === 0 && (
          <EmptyState
            icon={<ShieldCheck aria-hidden />}
            title={t("settings.departures.none")}
            text={t("settings.departures.none.text")}
          />
        )}
        {Array.from(Map.groupBy(departures ?? [], ({ day }) => day)).map(([day, ofDay]) => (
          <Section key={day} title={formatDate(new Date(`${day}T12:00`).getTime())}>
            <DepartureTable departures={ofDay} />
          </Section>
        ))}
      </PageSections>
      <Confirm
        title={t("settings.departures.clear")}
        text={t("settings.departures.clear.sure")}
        verb={t("settings.departures.clear")}
        isOpen={isClearing}
        isBusy={clearing.isBusy}
        error={clearing.error}
        onConfirm={() => void clear()}
        onClose={() => setClearing(false)}
      />
    </PageFrame>
  );
}

const DepartureTable = ({ departures }: { departures: readonly Departure[] }) => (
  <div className="table-scroll">
    <table className="table">
      <thead>
        <tr>
          <th>{t("settings.departures.host")}</th>
          <th>{t("settings.departures.purpose")}</th>
          <th className="table-figure table-detail">{t("settings.departures.requests")}</th>
          <th className="table-figure">{t("settings.departures.sent")}</th>
          <th className="table-figure table-detail">{t("settings.departures.received")}</th>
          <th className="table-figure">{t("settings.departures.last")}</th>
        </tr>
      </thead>
      <tbody>
        {departures.map(({ host, purpose, requests, sentBytes, receivedBytes, lastAtMs }) => (
          <tr key={JSON.stringify([host, purpose])}>
            <td>
              <code>{host}</code>
            </td>
            <td>{t(`settings.departures.purpose.${purpose.kind}`, { name: purpose.name })}</td>
            <td className="table-figure table-detail">{formatCount(requests)}</td>
            <td className="table-figure">{formatBytes(sentBytes)}</td>
            <td className="table-figure table-detail">{formatBytes(receivedBytes)}</td>
            <td className="table-figure">{formatClock(lastAtMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A few bytes are not nothing. */
const formatBytes = (bytes: number) =>
  bytes < 1000 ? t("settings.departures.bytes", { bytes }) : formatSize(bytes);
