// Adds a channel: choose a provider, then fill in the few fields that remain.

import { useState } from "react";
import type { ChannelPreset, ChannelView } from "../../../main/contract/channels.ts";
import { t } from "../../messages/messages.ts";
import { localize } from "../../messages/localize.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { ChannelForm } from "./channel-form.tsx";

type AddPanelProps = {
  presets: readonly ChannelPreset[];
  others: readonly ChannelView[];
  onAdded: (channel: ChannelView) => void;
  onClose: () => void;
};

/** Presets have no id of a message in the response; it follows from theirs. */
const localizeNote = ({ id, note }: ChannelPreset): string =>
  localize({ message: note, id: `preset.${id}` });

export function AddPanel({ presets, others, onAdded, onClose }: AddPanelProps) {
  const [chosen, setChosen] = useState<{ preset: ChannelPreset | undefined }>();
  if (chosen !== undefined) {
    return (
      <Section
        title={t("channels.add")}
        about={chosen.preset === undefined ? t("channels.own.note") : localizeNote(chosen.preset)}
        actions={
          <Button kind="quiet" onClick={() => setChosen(undefined)}>
            {t("channels.add.other")}
          </Button>
        }
      >
        <ChannelForm preset={chosen.preset} others={others} onSaved={onAdded} onClose={onClose} />
      </Section>
    );
  }
  return (
    <Section
      title={t("channels.add")}
      about={t("channels.add.about")}
      actions={
        <Button kind="quiet" onClick={onClose}>
          {t("frame.cancel")}
        </Button>
      }
    >
      <ul className="channel-presets" onKeyDown={({ key }) => key === "Escape" && onClose()}>
        {presets.map((preset, index) => (
          <li key={preset.id}>
            <button
              type="button"
              className="channel-preset"
              autoFocus={index === 0}
              onClick={() => setChosen({ preset })}
            >
              <span className="channel-preset-name">{preset.name}</span>
              <span className="channel-preset-note">{localizeNote(preset)}</span>
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            className="channel-preset"
            onClick={() => setChosen({ preset: undefined })}
          >
            <span className="channel-preset-name">{t("channels.own")}</span>
            <span className="channel-preset-note">{t("channels.own.note")}</span>
          </button>
        </li>
      </ul>
    </Section>
  );
}
