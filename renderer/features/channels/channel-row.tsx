// One channel of the list: its place, whether it is on, how it fares; opened, its test, its figures and its form.

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
import { told } from "../../messages/told.ts";
import { Registered } from "../../stores/actions.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { RowTab } from "../../ui/rows.ts";
import { Switch } from "../../ui/switch.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { keepChannel } from "./channel-store.ts";
import { conditionOf, shareOfSuccess, toneOf } from "./health.ts";
import { TestPanel } from "./test-panel.tsx";
import { startTest, useTests } from "./tests.ts";

export type RowDoes = {
  /** By so many places. */
  move: (by: number) => void;
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
  does: RowDoes;
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
  does,
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
    does.open("open");
    void startTest(id);
  };
  const byArrows = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    does.move(by);
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
      run: () => does.open("edit"),
    },
    {
      id: `channels.toggle.${id}`,
      title: t(channel.enabled ? "channels.turnOff" : "channels.turnOn", { name }),
      run: () => does.toggle(!channel.enabled),
    },
    {
      id: `channels.remove.${id}`,
      title: t("shell.choice", { name: t("channels.remove"), value: name }),
      run: does.remove,
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
          does.open(undefined);
      }}
    >
      {commands.map((command) => (
        <Registered key={command.id} {...command} />
      ))}
      <RowTab value={tab}>
        <div className="channel-line" data-row={index}>
          <span className="channel-place">
            <button
              ref={handleRef}
              type="button"
              className="channel-handle"
              tabIndex={tab}
              aria-label={t("channels.move", { name, place: index + 1, count })}
              onKeyDown={byArrows}
            >
              <GripVertical aria-hidden />
            </button>
            <span className="channel-rank">{rank}</span>
          </span>
          <Switch
            label={t("channels.on", { name })}
            isLabelUnseen
            isOn={channel.enabled}
            onChange={does.toggle}
          />
          <button
            ref={nameButton}
            type="button"
            className="channel-name"
            data-main
            tabIndex={tab}
            aria-expanded={mode !== undefined}
            onClick={() => does.open(mode === undefined ? "open" : undefined)}
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
                run: () => does.open("edit"),
              },
              {
                label: t("channels.up"),
                icon: <ArrowUp aria-hidden />,
                run: () => does.move(-1),
                disabledReason: isFirst ? t("channels.up.first") : undefined,
                beginsGroup: true,
              },
              {
                label: t("channels.down"),
                icon: <ArrowDown aria-hidden />,
                run: () => does.move(1),
                disabledReason: isLast ? t("channels.down.last") : undefined,
              },
              {
                label: t("channels.share"),
                icon: <Share2 aria-hidden />,
                run: does.share,
                disabledReason: canShare
                  ? undefined
                  : isFirst
                    ? t("channels.up.first")
                    : t("channels.share.already"),
              },
              {
                label: t("channels.remove"),
                icon: <Trash2 aria-hidden />,
                run: does.remove,
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
      </RowTab>
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
              does.open("open");
              nameButton.current?.focus();
            }}
            onSaved={(saved) => {
              keepChannel(saved);
              test();
              nameButton.current?.focus();
            }}
          />
        </div>
      )}
      {mode === "open" && (
        <div className="channel-inside" data-inside={index}>
          <Figures channel={channel} />
          <TestPanel id={id} run={run} />
          <div className="channel-form-actions">
            <Button
              icon={<FlaskConical aria-hidden />}
              isBusy={run?.stop !== undefined}
              onClick={test}
            >
              {t("channels.test")}
            </Button>
            <Button icon={<Pencil aria-hidden />} onClick={() => does.open("edit")}>
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

function Figures({ channel }: { channel: ChannelView }) {
  const { health, listError } = channel;
  const share = shareOfSuccess(health);
  return (
    <>
      <dl className="channel-figures">
        <Figure name={t("channels.figure.prefix")} value={`${channel.prefix}/…`} />
        <Figure name={t("channels.figure.key")} value={t(`channels.figure.key.${channel.key}`)} />
        <Figure
          name={t("channels.figure.requests")}
          value={formatCount(health.successes + health.failures)}
        />
        <Figure
          name={t("channels.figure.good")}
          value={share === undefined ? "–" : t("channels.percent", { share })}
        />
        <Figure name={t("channels.figure.p50")} value={seconds(health.p50Ms)} />
        <Figure name={t("channels.figure.p95")} value={seconds(health.p95Ms)} />
      </dl>
      {channel.enabled && listError !== undefined && (
        <p className="channel-trouble">{t("channels.listError", { why: told(listError) })}</p>
      )}
      {health.lastError !== undefined && (
        <p className="channel-trouble">
          {t("channels.lastError", {
            at: formatClock(health.lastError.atMs),
            why: told(health.lastError.message),
          })}
        </p>
      )}
    </>
  );
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
