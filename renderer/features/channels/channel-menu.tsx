// Commands for one channel, in its menu and in the palette.

import { ArrowDown, ArrowUp, Ellipsis, FlaskConical, Pencil, Share2, Trash2 } from "lucide-react";
import type { ChannelView } from "../../../main/contract/channels.ts";
import { t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { ChannelRowActions, RowPosition } from "./channel-row.tsx";

export function ChannelMenu({
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

/** The channel's commands in the palette. */
export function ChannelCommands({
  channel: { id, name, enabled },
  actions,
  onTest,
}: {
  channel: ChannelView;
  actions: ChannelRowActions;
  onTest: () => void;
}) {
  const commands = [
    {
      id: `channels.test.${id}`,
      title: t("frame.choice", { name: t("channels.test"), value: name }),
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
      title: t("frame.choice", { name: t("channels.remove"), value: name }),
      run: actions.remove,
    },
  ];
  return commands.map((command) => <RegisterAction key={command.id} {...command} />);
}
