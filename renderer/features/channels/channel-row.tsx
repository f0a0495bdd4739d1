// One channel in the list: rank, switch, health; expanded, its test, metrics and form.

import { useSortable } from "@dnd-kit/react/sortable";
import {
  ArrowDown,
  ArrowUp,
  ChevronRight,
  Ellipsis,
  FlaskConical,
  GripVertical,
  Pencil,
  Share2,
  Trash2,
} from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { formatClock, formatCount, formatDecimal } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { RowTabIndex } from "../../ui/rows.ts";
import { Switch } from "../../ui/switch.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { storeChannel } from "./channel-store.ts";
import { conditionOf, successRate, toneOf } from "./health.ts";
import { TestPanel } from "./test-panel.tsx";
import { startTest, useTests } from "./channel-tests.ts";

export type ChannelRowActions = {
  /** Moves by that many rows. */
  move: (offset: number) => void;
  share: () => void;
  toggle: (enabled: boolean) => void;
  open: (mode: "open" | "edit" | undefined) => void;
  remove: () => void;
};

type ChannelRowProps = {
  channel: ChannelView;
  index: number;
  tab: 0 | -1;
  count: number;
  rank: number;
  canShare: boolean;
  mode: "open" | "edit" | undefined;
  others: readonly ChannelView[];
  error: string | undefined;
  actions: ChannelRowActions;
};

export function ChannelRow({
  channel,
  index,
  tab,
  count,
  rank,
  canShare,
  mode,
  others,
  error,
  actions,
}: ChannelRowProps) {
  const { id, name } = channel;
  const { ref, handleRef, isDragging } = useSortable({
    id,
    index,
    transition: { duration: 140, easing: "cubic-bezier(0.2, 0, 0, 1)" },
  });
  const run = useTests(({ byId }) => byId.get(id));
  const nameButton = useRef<HTMLButtonElement>(null);
  const condition = conditionOf(channel);
  const test = () => {
    actions.open("open");
    void startTest(id);
  };
  const moveByArrowKeys = (event: KeyboardEvent) => {
    const offset = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    actions.move(offset);
  };
  const commands = [
    {
      id: `channels.test.${id}`,
      title: t("shell.choice", { name: t("channels.test"), value: name }),
      run: test,
    },
    {
      id: `channels.edit.${id}`,
      title: t("channels.edit.named", { name }),
      run: () => actions.open("edit"),
    },
    {
      id: `channels.toggle.${id}`,
      title: t(channel.enabled ? "channels.turnOff" : "channels.turnOn", { name }),
      run: () => actions.toggle(!channel.enabled),
    },
    {
      id: `channels.remove.${id}`,
      title: t("shell.choice", { name: t("channels.remove"), value: name }),
      run: actions.remove,
    },
  ];
  const isFirst = index === 0;
  const isLast = index === count - 1;
  return (
    <li
      ref={ref}
      className={`channel ${isDragging ? "channel-dragged" : ""}`}
      onKeyDown={(event) => {
        if (event.key === "Escape" && mode === "open" && !event.defaultPrevented)
          actions.open(undefined);
      }}
    >
      {commands.map((command) => (
        <RegisterAction key={command.id} {...command} />
      ))}
      <RowTabIndex value={tab}>
        <div className="channel-line" data-row={index}>
          <span className="channel-place">
            <button
              ref={handleRef}
              type="button"
              className="channel-handle"
              tabIndex={tab}
              aria-label={t("channels.move", { name, place: index + 1, count })}
              onKeyDown={moveByArrowKeys}
            >
              <GripVertical aria-hidden />
            </button>
            <span className="channel-rank">{rank}</span>
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
          <span className={`channel-health channel-tone-${toneOf[condition]}`}>
            <span className="channel-dot" aria-hidden />
            {t(`channels.condition.${condition}`)}
          </span>
          <span className="channel-models">
            {channel.enabled ? t("channels.models", { count: channel.models }) : ""}
          </span>
          <Menu
            items={[
              { label: t("channels.test"), icon: <FlaskConical aria-hidden />, run: test },
              {
                label: t("channels.edit"),
                icon: <Pencil aria-hidden />,
                run: () => actions.open("edit"),
              },
              {
                label: t("channels.up"),
                icon: <ArrowUp aria-hidden />,
                run: () => actions.move(-1),
                disabledReason: isFirst ? t("channels.up.first") : undefined,
                beginsGroup: true,
              },
              {
                label: t("channels.down"),
                icon: <ArrowDown aria-hidden />,
                run: () => actions.move(1),
                disabledReason: isLast ? t("channels.down.last") : undefined,
              },
              {
                label: t("channels.share"),
                icon: <Share2 aria-hidden />,
                run: actions.share,
                disabledReason: canShare
                  ? undefined
                  : isFirst
                    ? t("channels.up.first")
                    : t("channels.share.already"),
              },
              {
                label: t("channels.remove"),
                icon: <Trash2 aria-hidden />,
                run: actions.remove,
                isDanger: true,
                beginsGroup: true,
              },
            ]}
          >
            <IconButton label={t("channels.actions", { name })}>
              <Ellipsis aria-hidden />
            </IconButton>
          </Menu>
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
          <ChannelMetrics channel={channel} />
          <TestPanel id={id} run={run} />
          <div className="channel-form-actions">
            <Button
              icon={<FlaskConical aria-hidden />}
              isBusy={run?.controller !== undefined}
              onClick={test}
            >
              {t("channels.test")}
            </Button>
            <Button icon={<Pencil aria-hidden />} onClick={() => actions.open("edit")}>
              {t("channels.edit")}
            </Button>
          </div>
        </div>
      )}
    </li>
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
