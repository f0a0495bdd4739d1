// One channel in the list: rank, switch, health; expanded, its test, metrics and form.

import { useSortable } from "@dnd-kit/react/sortable";
import { ChevronRight, FlaskConical, GripVertical, Pencil } from "lucide-react";
import { type KeyboardEvent, type Ref, useRef } from "react";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { formatClock, formatCount, formatDecimal } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { Button } from "../../ui/button.tsx";
import { RowTabIndex, useRowTabIndex } from "../../ui/rows.ts";
import { Switch } from "../../ui/switch.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { storeChannel } from "./channel-store.ts";
import { conditionOf, successRate, toneOf } from "./health.ts";
import { TestPanel } from "./test-panel.tsx";
import { startTest, useTests } from "./channel-tests.ts";
import { ChannelCommands, ChannelMenu } from "./channel-menu.tsx";

export type ChannelRowActions = {
  /** Moves by that many rows. */
  move: (offset: number) => void;
  share: () => void;
  toggle: (enabled: boolean) => void;
  open: (mode: "open" | "edit" | undefined) => void;
  remove: () => void;
};

export type RowPosition = {
  index: number;
  /** Number of rows. */
  count: number;
  /** Channels that share requests have the same rank. */
  rank: number;
  canShare: boolean;
};

type ChannelRowProps = {
  channel: ChannelView;
  position: RowPosition;
  tab: 0 | -1;
  mode: "open" | "edit" | undefined;
  others: readonly ChannelView[];
  error: string | undefined;
  actions: ChannelRowActions;
};

export function ChannelRow({
  channel,
  position,
  tab,
  mode,
  others,
  error,
  actions,
}: ChannelRowProps) {
  const { id, name } = channel;
  const { index } = position;
  const { ref, handleRef, isDragging } = useSortable({
    id,
    index,
    transition: { duration: 140, easing: "cubic-bezier(0.2, 0, 0, 1)" },
  });
  const nameButton = useRef<HTMLButtonElement>(null);
  const test = () => {
    actions.open("open");
    void startTest(id);
  };
  return (
    <li
      ref={ref}
      className={`channel ${isDragging ? "channel-dragged" : ""}`}
      onKeyDown={(event) => {
        if (event.key === "Escape" && mode === "open" && !event.defaultPrevented)
          actions.open(undefined);
      }}
    >
      <ChannelCommands channel={channel} actions={actions} onTest={test} />
      <RowTabIndex value={tab}>
        <div className="channel-line" data-row={index}>
          <span className="channel-place">
            <MoveHandle ref={handleRef} name={name} position={position} onMove={actions.move} />
            <span className="channel-rank">{position.rank}</span>
          </span>
          <Switch
            label={t("channels.on", { name })}
            isLabelHidden
            isOn={channel.enabled}
            onChange={actions.toggle}
          />
          <button
            ref={nameButton}
            type="button"
            className="channel-name"
            data-main
            tabIndex={tab}
            aria-expanded={mode !== undefined}
            onClick={() => actions.open(mode === undefined ? "open" : undefined)}
          >
            <ChevronRight aria-hidden />
            <span className="channel-title">{name}</span>
            <span className="channel-address">{channel.baseUrl}</span>
          </button>
          <HealthLabel channel={channel} />
          <span className="channel-models">
            {channel.enabled && channel.isBlocked !== true
              ? t("channels.models", { count: channel.models })
              : ""}
          </span>
          <ChannelMenu name={name} position={position} actions={actions} onTest={test} />
        </div>
      </RowTabIndex>
      {error !== undefined && (
        <p className="channel-error field-error" role="alert">
          {error}
        </p>
      )}
      {mode === "edit" && (
        <div className="channel-inside" data-inside={index}>
          <ChannelForm
            channel={channel}
            others={others}
            onClose={() => {
              actions.open("open");
              nameButton.current?.focus();
            }}
            onSaved={(saved) => {
              storeChannel(saved);
              test();
              nameButton.current?.focus();
            }}
          />
        </div>
      )}
      {mode === "open" && (
        <div className="channel-inside" data-inside={index}>
          <ChannelState channel={channel} onTest={test} onEdit={() => actions.open("edit")} />
        </div>
      )}
    </li>
  );
}

function HealthLabel({ channel }: { channel: ChannelView }) {
  const condition = conditionOf(channel);
  return (
    <span className={`channel-health channel-tone-${toneOf[condition]}`}>
      <span className="channel-dot" aria-hidden />
      {t(`channels.condition.${condition}`)}
    </span>
  );
}

/** Moves the row by drag or arrow keys. */
function MoveHandle({
  ref,
  name,
  position: { index, count },
  onMove,
}: {
  ref: Ref<HTMLButtonElement>;
  name: string;
  position: RowPosition;
  onMove: ChannelRowActions["move"];
}) {
  const tabIndex = useRowTabIndex();
  const moveByArrowKeys = (event: KeyboardEvent) => {
    const offset = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    onMove(offset);
  };
  return (
    <button
      ref={ref}
      type="button"
      className="channel-handle"
      tabIndex={tabIndex}
      aria-label={t("channels.move", { name, place: index + 1, count })}
      onKeyDown={moveByArrowKeys}
    >
      <GripVertical aria-hidden />
    </button>
  );
}

/** What an expanded channel shows: its metrics and errors, and its test. */
function ChannelState({
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
  const { health, listError, listErrorReference } = channel;
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
      {channel.enabled && channel.isBlocked === true && (
        <p className="field-help">{t("channels.offline")}</p>
      )}
      {channel.enabled && listError !== undefined && (
        <p className="channel-trouble">
          {t("channels.listError", {
            why: localize({ message: listError, ...listErrorReference }),
          })}
        </p>
      )}
      {health.lastError !== undefined && (
        <p className="channel-trouble">
          {t("channels.lastError", {
            at: formatClock(health.lastError.atMs),
            why: localize(health.lastError),
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
