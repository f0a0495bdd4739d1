// What a channel is made of, to fill in: new from a preset, or one there is. Only what most need is in sight.

import { useState } from "react";
import type { ChannelPreset, ChannelView } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { t } from "../../messages/messages.ts";
import { useInfo } from "../../stores/info.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, TextArea, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import {
  headersMsOf,
  parseForm,
  valuesOfChannel,
  valuesOfPreset,
  type FormField,
  type FormValues,
} from "./form-values.ts";

type ChannelFormProps = {
  /** Omitted for a new channel. */
  channel?: ChannelView;
  preset?: ChannelPreset | undefined;
  others: readonly ChannelView[];
  onSaved: (channel: ChannelView) => void;
  onClose: () => void;
};

const inMore: readonly FormField[] = [
  "modelFilter",
  "modelNames",
  "voiceNames",
  "weight",
  "headersSec",
];

export function ChannelForm({ channel, preset, others, onSaved, onClose }: ChannelFormProps) {
  const [values, setValues] = useState<FormValues>(() =>
    channel === undefined ? valuesOfPreset(preset, others) : valuesOfChannel(channel),
  );
  const [isKeyGone, setKeyGone] = useState(false);
  /** What does not fit is said once it was tried, not while one still types. */
  const [wrong, setWrong] = useState<ReadonlySet<FormField>>(new Set());
  const [refused, setRefused] = useState<{ field: string; message: string }>();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const keysAre = useInfo(({ info }) => info?.keysAre);
  const task = useTask();

  const change = (patch: Partial<FormValues>) => {
    const next = { ...values, ...patch };
    setValues(next);
    setRefused(undefined);
    if (wrong.size > 0) setWrong(parseForm(next).wrong ?? new Set());
  };
  const save = () => {
    const { fields, wrong: found } = parseForm(values);
    setWrong(found ?? new Set());
    if (found !== undefined && inMore.some((field) => found.has(field))) setMoreOpen(true);
    if (fields === undefined) return;
    const key = values.key.trim();
    const keyField = key !== "" ? { key } : isKeyGone ? { key: null } : {};
    const sent = { ...fields, limits: { headersMs: headersMsOf(values) } };
    void task.run(async (signal) => {
      try {
        onSaved(
          channel === undefined
            ? await call("addChannel", { ...sent, ...(key === "" ? {} : { key }) }, "", signal)
            : await call("changeChannel", { ...sent, ...keyField }, channel.id, signal),
        );
      } catch (error) {
        if (error instanceof ApiError && error.param !== undefined && error.param in values)
          setRefused({ field: error.param, message: error.message });
        else throw error;
      }
    });
  };
  const errorOf = (field: FormField) =>
    wrong.has(field)
      ? t(`channels.wrong.${field}`)
      : refused?.field === field
        ? refused.message
        : undefined;
  const text = (field: Exclude<FormField, "paid" | "sharesLongFiles">) => ({
    value: values[field],
    error: errorOf(field),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      change({ [field]: value }),
  });
  const hasStoredKey = channel?.key === "stored" && !isKeyGone;
  return (
    <form
      className="channel-form"
      aria-label={
        channel === undefined ? t("channels.add") : t("channels.edit.named", { name: channel.name })
      }
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <TextField label={t("channels.name")} autoFocus maxLength={60} {...text("name")} />
      <TextField
        label={t("channels.prefix")}
        help={t("channels.prefix.help", { example: `${values.prefix || "name"}/whisper-1` })}
        {...text("prefix")}
      />
      <div className="channel-form-wide">
        <TextField
          label={t("channels.baseUrl")}
          inputMode="url"
          placeholder="https://…/v1"
          {...text("baseUrl")}
        />
      </div>
      <div className="channel-form-wide">
        <TextField
          label={t("channels.key")}
          type="password"
          autoComplete="off"
          placeholder={
            hasStoredKey
              ? t("channels.key.stored")
              : channel?.key === "environment"
                ? t("channels.key.environment")
                : ""
          }
          help={[
            t(preset?.needsKey === false ? "channels.key.optional" : "channels.key.help"),
            keysAre && t(`channels.key.kept.${keysAre}`),
          ]
            .filter((each) => each !== undefined)
            .join(" ")}
          {...text("key")}
        />
        {channel?.key === "stored" && (
          <Checkbox
            label={t("channels.key.remove")}
            checked={isKeyGone}
            onChange={({ currentTarget: { checked } }) => setKeyGone(checked)}
          />
        )}
      </div>
      <details
        className="channel-form-wide channel-more"
        open={isMoreOpen}
        onToggle={({ currentTarget: { open } }) => setMoreOpen(open)}
      >
        <summary>{t("channels.more")}</summary>
        <div className="channel-form-grid">
          <div className="channel-form-wide">
            <TextArea
              label={t("channels.modelFilter")}
              help={t("channels.modelFilter.help")}
              spellCheck={false}
              {...text("modelFilter")}
            />
          </div>
          <TextArea
            label={t("channels.modelNames")}
            help={t("channels.names.help")}
            spellCheck={false}
            placeholder="whisper = openai/whisper-large-v3"
            {...text("modelNames")}
          />
          <TextArea
            label={t("channels.voiceNames")}
            help={t("channels.names.help")}
            spellCheck={false}
            placeholder="nova = af_nova"
            {...text("voiceNames")}
          />
          <TextField
            label={t("channels.weight")}
            help={t("channels.weight.help")}
            inputMode="numeric"
            {...text("weight")}
          />
          <TextField
            label={t("channels.headersSec")}
            help={t("channels.headersSec.help")}
            inputMode="decimal"
            {...text("headersSec")}
          />
          <Checkbox
            label={t("channels.paid")}
            help={t("channels.paid.help")}
            checked={values.paid}
            onChange={({ currentTarget: { checked } }) => change({ paid: checked })}
          />
          <Checkbox
            label={t("channels.shares")}
            help={t("channels.shares.help")}
            checked={values.sharesLongFiles}
            onChange={({ currentTarget: { checked } }) => change({ sharesLongFiles: checked })}
          />
        </div>
      </details>
      {task.error !== undefined && (
        <div className="channel-form-wide">
          <Notice tone="bad">{task.error}</Notice>
        </div>
      )}
      <div className="channel-form-wide channel-form-actions">
        <Button kind="primary" type="submit" isBusy={task.isBusy}>
          {channel === undefined ? t("channels.add.verb") : t("channels.save")}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t("shell.cancel")}
        </Button>
      </div>
    </form>
  );
}
