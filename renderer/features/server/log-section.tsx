// Requests as they arrive, newest first, with filters. Kept while the window is open; totals are under Usage.

import "../../ui/table.css";
import { useEffect, useState } from "react";
import { ownCallers } from "../../../main/contract/usage.ts";
import { call } from "../../api/client.ts";
import { formatClock, formatCount, formatTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { clearRequests, type LoggedRequest, useRequests } from "../../stores/requests.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Checkbox, Select, TextField } from "../../ui/field.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { callerName } from "./caller-name.ts";
import { matches, type LogFilter } from "./log-filter.ts";

const endpoints = ["transcriptions", "translations", "speech", "feed"] as const;
const maxShown = 200;

/** Names of API keys by id. */
type KeyNames = ReadonlyMap<string, string>;

export function LogSection() {
  const requests = useRequests((state) => state.requests);
  const [filter, setFilter] = useState<LogFilter>({ endpoint: "", onlyFailed: false, text: "" });
  const [names, setNames] = useState<KeyNames>(new Map());
  const { run } = useTask();
  useEffect(
    () =>
      void run(async (signal) =>
        setNames(
          new Map((await call("listKeys", {}, "", signal)).keys.map((key) => [key.id, key.name])),
        ),
      ),
    [run],
  );
  const shown = requests.filter((request) =>
    matches({ ...request, key: `${request.key} ${names.get(request.key) ?? ""}` }, filter),
  );
  return (
    <Section
      title={t("server.log")}
      about={t("server.log.about")}
      actions={
        <Button
          disabledReason={requests.length === 0 ? t("server.log.empty") : undefined}
          onClick={clearRequests}
        >
          {t("server.log.clear")}
        </Button>
      }
    >
      <LogFilters filter={filter} onChange={setFilter} />
      {shown.length === 0 ? (
        <EmptyState
          title={requests.length === 0 ? t("server.log.empty") : t("server.log.noMatch")}
          text={requests.length === 0 ? t("server.log.empty.text") : undefined}
        />
      ) : (
        <RequestTable requests={shown.slice(0, maxShown)} keyNames={names} />
      )}
    </Section>
  );
}

function LogFilters({
  filter,
  onChange,
}: {
  filter: LogFilter;
  onChange: (filter: LogFilter) => void;
}) {
  return (
    <div className="server-row">
      <Select
        label={t("server.log.endpoint")}
        value={filter.endpoint}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, endpoint: value })}
      >
        <option value="">{t("server.log.all")}</option>
        {endpoints.map((endpoint) => (
          <option key={endpoint} value={endpoint}>
            {t(`server.endpoint.${endpoint}`)}
          </option>
        ))}
      </Select>
      <TextField
        label={t("server.log.text")}
        type="search"
        value={filter.text}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, text: value })}
      />
      <div className="server-log-failed">
        <Checkbox
          label={t("server.log.onlyFailed")}
          checked={filter.onlyFailed}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ ...filter, onlyFailed: checked })
          }
        />
      </div>
    </div>
  );
}

function RequestTable({
  requests,
  keyNames,
}: {
  requests: readonly LoggedRequest[];
  keyNames: KeyNames;
}) {
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th>{t("server.log.at")}</th>
            <th>{t("server.log.endpoint")}</th>
            <th>{t("server.by.model")}</th>
            <th className="table-detail">{t("server.by.channel")}</th>
            <th className="table-detail">{t("server.by.key")}</th>
            <th className="table-figure">{t("server.log.amount")}</th>
            <th className="table-figure table-detail">{t("server.log.took")}</th>
            <th className="table-figure">{t("server.log.status")}</th>
          </tr>
        </thead>
        <tbody>
          {requests.map((request) => (
            <RequestRow key={request.id} request={request} keyNames={keyNames} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RequestRow({ request, keyNames }: { request: LoggedRequest; keyNames: KeyNames }) {
  return (
    <tr>
      <td className="figures">{formatClock(request.atMs)}</td>
      <td>
        {endpoints.some((each) => each === request.endpoint)
          ? t(`server.endpoint.${request.endpoint as (typeof endpoints)[number]}`)
          : request.endpoint}
      </td>
      <td className="figures">{request.model}</td>
      <td className="table-detail">
        {request.channel === ""
          ? t("server.log.nobody")
          : request.channel === "local"
            ? t("server.local")
            : request.channel}
      </td>
      <td className="table-detail">
        {callerName(request.key, keyNames, (own) => t(`server.caller.${own}`), ownCallers)}
      </td>
      <td className="table-figure">
        {request.characters !== undefined
          ? t("server.log.characters", { count: formatCount(request.characters) })
          : request.audioSec !== undefined
            ? formatTime(request.audioSec)
            : ""}
      </td>
      <td className="table-figure table-detail">
        {t("server.log.seconds", { sec: request.durationMs / 1000 })}
      </td>
      <td className={`table-figure ${request.status >= 400 ? "server-failed" : ""}`}>
        {request.status}
      </td>
    </tr>
  );
}
