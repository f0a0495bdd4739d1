// The Channels page: add, test, order, enable and disable providers and other machines.

import "./channels.css";
import {
  DragDropProvider,
  PointerSensor,
  type DragDropManager,
  type DragMoveEvent,
  type DragStartEvent,
} from "@dnd-kit/react";
import { isSortable } from "@dnd-kit/react/sortable";
import { Plus, Waypoints } from "lucide-react";
import { type RefObject, useRef, useState } from "react";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/error.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame, PageSections } from "../../ui/page-frame.tsx";
import { useRows } from "../../ui/rows.ts";
import { AddPanel } from "./add-panel.tsx";
import { ChannelRow } from "./channel-row.tsx";
import { storeChannel, loadChannels, useChannels, useLiveChannels } from "./channel-store.ts";
import { sortByPriority, prioritiesAfterMove, priorityToShare, ranksOf } from "./priorities.ts";
import { PreferenceSection } from "./preference-section.tsx";
import { forgetTest, startTest } from "./channel-tests.ts";

/**
 * dnd-kit's default plugins inject a style element, which the Content-Security-Policy refuses, and their screen reader
 * texts are English only.
 */
const noPlugins: [] = [];
/** No keyboard sensor: rows handle the keyboard themselves, and an arrow key on the handle moves a row at once. */
const sensors = [PointerSensor];

/**
 * Does what the plugin for the drag image would do: collisions are detected only if the operation has a shape, and
 * again only when the shape changes.
 */
function updateDragShape(
  { operation: { source } }: DragStartEvent | DragMoveEvent,
  { dragOperation, collisionObserver }: DragDropManager,
): void {
  if (!isSortable(source)) return;
  dragOperation.shape = source.sortable.refreshShape() ?? null;
  collisionObserver.forceUpdate();
}

export function Page() {
  const { channels, presets, error } = useChannels();
  const [isAdding, setAdding] = useState(false);
  const [open, setOpen] = useState<OpenChannel>();
  const [removing, setRemoving] = useState<ChannelView>();
  const removal = useTask();
  useLiveChannels();
  const add = () => setAdding(true);
  useAction({ id: "channels.add", title: t("channels.add"), keys: "n", run: add });

  const list = sortByPriority(channels ?? []);
  const firstButton = useRef<HTMLButtonElement>(null);
  const rows = useRows({
    count: list.length,
    keyOf: (index) => list[index]?.id ?? index,
    fallbackFocus: firstButton,
  });

  const closeConfirm = (): void => {
    setRemoving(undefined);
    rows.takeFocus();
  };
  const remove = async ({ id }: ChannelView) => {
    const isDone = await removal.run(async () => {
      await call("removeChannel", {}, id);
      forgetTest(id);
      useChannels.setState({ channels: list.filter((each) => each.id !== id) });
    });
    if (isDone) closeConfirm();
  };

  return (
    <PageFrame
      title={t("frame.page.channels")}
      about={t("channels.about")}
      actions={
        // Without channels, the button is in the middle of the page instead.
        (list.length > 0 || isAdding) && (
          <Button
            kind={isAdding ? "secondary" : "primary"}
            icon={<Plus aria-hidden />}
            disabledReason={isAdding ? t("channels.add.open") : undefined}
            onClick={add}
          >
            {t("channels.add")}
          </Button>
        )
      }
    >
      {channels?.length === 0 && !isAdding && (
        <div className="page-body channels-none">
          <NoChannels button={firstButton} onAdd={add} />
        </div>
      )}
      {(channels?.length !== 0 || isAdding) && (
        <PageSections>
          {error !== undefined && <LoadError message={error} />}
          {isAdding && (
            <AddPanel
              presets={presets}
              others={list}
              onClose={() => setAdding(false)}
              onAdded={(channel) => {
                storeChannel(channel);
                setAdding(false);
                setOpen({ id: channel.id, mode: "open" });
                void startTest(channel.id);
              }}
            />
          )}
          {list.length > 0 && (
            <ChannelList
              channels={list}
              rows={rows}
              open={open}
              onOpen={setOpen}
              onRemove={setRemoving}
            />
          )}
          {list.length > 0 && <PreferenceSection />}
        </PageSections>
      )}
      <Confirm
        title={t("channels.remove")}
        text={t("channels.remove.text", { name: removing?.name ?? "" })}
        verb={t("channels.remove")}
        isOpen={removing !== undefined}
        isBusy={removal.isBusy}
        error={removal.error}
        onConfirm={() => removing !== undefined && void remove(removing)}
        onClose={closeConfirm}
      />
    </PageFrame>
  );
}

function NoChannels({
  button,
  onAdd,
}: {
  button: RefObject<HTMLButtonElement | null>;
  onAdd: () => void;
}) {
  return (
    <EmptyState
      icon={<Waypoints aria-hidden />}
      title={t("channels.none")}
      text={t("channels.none.text")}
    >
      <Button ref={button} kind="primary" icon={<Plus aria-hidden />} onClick={onAdd}>
        {t("channels.add")}
      </Button>
    </EmptyState>
  );
}

const LoadError = ({ message }: { message: string }) => (
  <Notice
    tone="bad"
    action={
      <Button isSmall onClick={() => void loadChannels()}>
        {t("frame.retry")}
      </Button>
    }
  >
    {message}
  </Notice>
);

type Patches = ReadonlyMap<string, Partial<Pick<ChannelView, "priority" | "enabled">>>;

/** Changes of the list that are shown at once, and the last one that the app refused. */
function useChannelChanges(channels: readonly ChannelView[]) {
  const [failed, setFailed] = useState<{ id: string; message: string }>();
  // One after the other: changes of an order depend on each other.
  const saving = useRef(Promise.resolve());
  /** Optimistic update; if saving fails, the app's state is shown again with the reason. */
  const change = async (patches: Patches) => {
    setFailed(undefined);
    useChannels.setState({
      channels: channels.map((channel) => ({ ...channel, ...patches.get(channel.id) })),
    });
    const saved: Promise<void> = saving.current.then(() =>
      save(patches, () => saved === saving.current),
    );
    saving.current = saved;
    await saved;
  };
  /** A later change is shown already, so the app's answer to an earlier one is not. */
  const save = async (patches: Patches, isLatest: () => boolean): Promise<void> => {
    for (const [id, patch] of patches) {
      try {
        const saved = await call("changeChannel", patch, id);
        if (isLatest()) storeChannel(saved);
      } catch (failure) {
        setFailed({ id, message: messageOf(failure) });
        await loadChannels();
        return;
      }
    }
  };
  const move = (id: string, to: number) => {
    const priorities = prioritiesAfterMove(channels, id, to);
    if (priorities.size > 0)
      void change(new Map([...priorities].map(([each, priority]) => [each, { priority }])));
  };
  return { change, move, failed };
}

type OpenChannel = { id: string; mode: "open" | "edit" };

/** The channels in order of priority, which a drag or arrow keys change. */
function ChannelList({
  channels,
  rows,
  open,
  onOpen,
  onRemove,
}: {
  channels: readonly ChannelView[];
  rows: ReturnType<typeof useRows>;
  open: OpenChannel | undefined;
  onOpen: (open: OpenChannel | undefined) => void;
  onRemove: (channel: ChannelView) => void;
}) {
  const { change, move, failed } = useChannelChanges(channels);
  const ranks = ranksOf(channels);
  return (
    <DragDropProvider
      plugins={noPlugins}
      sensors={sensors}
      onDragStart={updateDragShape}
      onDragMove={updateDragShape}
      onDragEnd={({ canceled, operation: { source } }) => {
        if (!canceled && isSortable(source)) move(String(source.id), source.index);
      }}
    >
      <ol {...rows.list} className="channels" aria-label={t("channels.list")}>
        {channels.map((channel, index) => (
          <ChannelRow
            key={channel.id}
            channel={channel}
            position={{
              index,
              count: channels.length,
              rank: ranks.get(channel.id) ?? index + 1,
              canShare: priorityToShare(channels, channel.id) !== undefined,
            }}
            tab={rows.tabIndexOf(index)}
            mode={open?.id === channel.id ? open.mode : undefined}
            others={channels}
            error={failed?.id === channel.id ? failed.message : undefined}
            actions={{
              move: (offset) => move(channel.id, index + offset),
              share: () => {
                const priority = priorityToShare(channels, channel.id);
                if (priority !== undefined) void change(new Map([[channel.id, { priority }]]));
              },
              toggle: (enabled) => void change(new Map([[channel.id, { enabled }]])),
              open: (mode) => onOpen(mode && { id: channel.id, mode }),
              remove: () => onRemove(channel),
            }}
          />
        ))}
      </ol>
    </DragDropProvider>
  );
}
