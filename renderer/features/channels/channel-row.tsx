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
import { type KeyboardEvent, type Ref, useRef } from "react";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { RowTabIndex, useRowTabIndex } from "../../ui/rows.ts";
import { Switch } from "../../ui/switch.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { storeChannel } from "./channel-store.ts";
import { conditionOf, toneOf } from "./health.ts";
import { ChannelState } from "./channel-state.tsx";
import { startTest } from "./channel-tests.ts";

export type ChannelRowActions = {
  /** Moves by that many rows. */
  move: (offset: number) => void;
  share: () => void;
  toggle: (enabled: boolean) => void;
  open: (mode: "open" | "edit" | undefined) => void;
  remove: () => void;
};

type RowPosition = {
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
            {channel.enabled ? t("channels.models", { count: channel.models }) : ""}
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

/** The channel's commands in the palette. */
function ChannelCommands({
  channel: { id, name, enabled },
  actions,
  onTest,
}: Pick<ChannelRowProps, "channel" | "actions"> & { onTest: () => void }) {
  const commands = [
    {
      id: `channels.test.${id}`,
      title: t("shell.choice", { name: t("channels.test"), value: name }),
      run: onTest,
    },
    {
      id: `channels.edit.${id}`,
      title: t("channels.edit.named", { name }),
      run: () => actions.open("edit"),
    },
    {
      id: `channels.toggle.${id}`,
      title: t(enabled ? "channels.turnOff" : "channels.turnOn", { name }),
      run: () => actions.toggle(!enabled),
    },
    {
      id: `channels.remove.${id}`,
      title: t("shell.choice", { name: t("channels.remove"), value: name }),
      run: actions.remove,
    },
  ];
  return commands.map((command) => <RegisterAction key={command.id} {...command} />);
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

function ChannelMenu({
  name,
  position: { index, count, canShare },
  actions,
  onTest,
}: {
  name: string;
  position: RowPosition;
  actions: ChannelRowActions;
  onTest: () => void;
}) {
  const isFirst = index === 0;
  const isLast = index === count - 1;
  return (
    <Menu
      items={[
        { label: t("channels.test"), icon: <FlaskConical aria-hidden />, run: onTest },
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
  );
}
