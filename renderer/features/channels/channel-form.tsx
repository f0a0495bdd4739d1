// Form for a new channel (from a preset) or an existing one. Fields that few people need are under "Advanced".

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
  parseHeadersMs,
  parseForm,
  channelToForm,
  presetToForm,
  type FormField,
  type FormValues,
} from "./form-values.ts";

type ChannelFormProps = {
  /** Omitted for a new channel. */
  channel?: ChannelView | undefined;
  preset?: ChannelPreset | undefined;
  others: readonly ChannelView[];
  onSaved: (channel: ChannelView) => void;
  onClose: () => void;
};

const advancedFields: readonly FormField[] = [
  "modelFilter",
  "modelNames",
  "voiceNames",
  "weight",
  "headersSec",
];

type ChannelFormState = ReturnType<typeof useChannelForm>;

/** The form's values, what is wrong with them, and saving. */
function useChannelForm({ channel, preset, others, onSaved }: Omit<ChannelFormProps, "onClose">) {
  const [values, setValues] = useState<FormValues>(() =>
    channel === undefined ? presetToForm(preset, others) : channelToForm(channel),
  );
  const [isKeyRemoved, setKeyRemoved] = useState(false);
  /** Errors show only after the first attempt to save, not while the user types. */
  const [invalidFields, setInvalidFields] = useState<ReadonlySet<FormField>>(new Set());
  const [serverError, setServerError] = useState<{ field: string; message: string }>();
  const [isAdvancedOpen, setAdvancedOpen] = useState(false);
  const task = useTask();

  const change = (patch: Partial<FormValues>) => {
    const next = { ...values, ...patch };
    setValues(next);
    setServerError(undefined);
    if (invalidFields.size > 0) setInvalidFields(parseForm(next).invalidFields ?? new Set());
  };
  const save = () => {
    const { fields, invalidFields: invalid } = parseForm(values);
    setInvalidFields(invalid ?? new Set());
    if (invalid !== undefined && advancedFields.some((field) => invalid.has(field)))
      setAdvancedOpen(true);
    if (fields === undefined) return;
    const key = values.key.trim();
    const keyField = key !== "" ? { key } : isKeyRemoved ? { key: null } : {};
    const body = { ...fields, limits: { headersMs: parseHeadersMs(values) } };
    void task.run(async (signal) => {
      try {
        onSaved(
          channel === undefined
            ? await call("addChannel", { ...body, ...(key === "" ? {} : { key }) }, "", signal)
            : await call("changeChannel", { ...body, ...keyField }, channel.id, signal),
        );
      } catch (error) {
        if (error instanceof ApiError && error.param !== undefined && error.param in values)
          setServerError({ field: error.param, message: error.message });
        else throw error;
      }
    });
  };
  const errorOf = (field: FormField) =>
    invalidFields.has(field)
      ? t(`channels.wrong.${field}`)
      : serverError?.field === field
        ? serverError.message
        : undefined;
  const textProps = (field: Exclude<FormField, "paid">) => ({
    value: values[field],
    error: errorOf(field),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      change({ [field]: value }),
  });
  return {
    values,
    change,
    textProps,
    isKeyRemoved,
    setKeyRemoved,
    isAdvancedOpen,
    setAdvancedOpen,
    save,
    task,
  };
}

export function ChannelForm({ channel, preset, others, onSaved, onClose }: ChannelFormProps) {
  const form = useChannelForm({ channel, preset, others, onSaved });
  const { values, change, textProps, isAdvancedOpen, setAdvancedOpen, save, task } = form;
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
      <TextField label={t("channels.name")} autoFocus maxLength={60} {...textProps("name")} />
      <TextField
        label={t("channels.prefix")}
        help={t("channels.prefix.help", { example: `${values.prefix || "name"}/whisper-1` })}
        {...textProps("prefix")}
      />
      <div className="channel-form-wide">
        <TextField
          label={t("channels.baseUrl")}
          inputMode="url"
          placeholder="https://…/v1"
          {...textProps("baseUrl")}
        />
      </div>
      <div className="channel-form-wide">
        <KeyField channel={channel} preset={preset} form={form} />
      </div>
      <details
        className="channel-form-wide channel-more"
        open={isAdvancedOpen}
        onToggle={({ currentTarget: { open } }) => setAdvancedOpen(open)}
      >
        <summary>{t("channels.more")}</summary>
        <div className="channel-form-grid">
          <div className="channel-form-wide">
            <TextArea
              label={t("channels.modelFilter")}
              help={t("channels.modelFilter.help")}
              spellCheck={false}
              {...textProps("modelFilter")}
            />
          </div>
          <TextArea
            label={t("channels.modelNames")}
            help={t("channels.names.help")}
            spellCheck={false}
            placeholder="whisper = openai/whisper-large-v3"
            {...textProps("modelNames")}
          />
          <TextArea
            label={t("channels.voiceNames")}
            help={t("channels.names.help")}
            spellCheck={false}
            placeholder="nova = af_nova"
            {...textProps("voiceNames")}
          />
          <TextField
            label={t("channels.weight")}
            help={t("channels.weight.help")}
            inputMode="numeric"
            {...textProps("weight")}
          />
          <TextField
            label={t("channels.headersSec")}
            help={t("channels.headersSec.help")}
            inputMode="decimal"
            {...textProps("headersSec")}
          />
          <Checkbox
            label={t("channels.paid")}
            help={t("channels.paid.help")}
            checked={values.paid}
            onChange={({ currentTarget: { checked } }) => change({ paid: checked })}
          />
        </div>
      </details>
      {task.error !== undefined && (
        <div className="channel-form-wide">
          <Notice tone="bad">{task.error}</Notice>
        </div>
      )}
      <FormActions isNew={channel === undefined} isBusy={task.isBusy} onClose={onClose} />
    </form>
  );
}

function KeyField({
  channel,
  preset,
  form: { textProps, isKeyRemoved, setKeyRemoved },
}: Pick<ChannelFormProps, "channel" | "preset"> & { form: ChannelFormState }) {
  const keysAre = useInfo(({ info }) => info?.keysAre);
  const hasStoredKey = channel?.key === "stored" && !isKeyRemoved;
  return (
    <>
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
        {...textProps("key")}
      />
      {channel?.key === "stored" && (
        <Checkbox
          label={t("channels.key.remove")}
          checked={isKeyRemoved}
          onChange={({ currentTarget: { checked } }) => setKeyRemoved(checked)}
        />
      )}
    </>
  );
}

function FormActions({
  isNew,
  isBusy,
  onClose,
}: {
  isNew: boolean;
  isBusy: boolean;
  onClose: () => void;
}) {
  return (
    <div className="channel-form-wide channel-form-actions">
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {isNew ? t("channels.add.verb") : t("channels.save")}
      </Button>
      <Button kind="quiet" onClick={onClose}>
        {t("frame.cancel")}
      </Button>
    </div>
  );
}
