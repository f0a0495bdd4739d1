// Converts a channel to form values and back. Pure; the contract validates.

import {
  channelFields,
  type ChannelPreset,
  type ChannelView,
} from "../../../main/contract/channels.ts";

/** Texts as typed. Name pairs are one per line: `whisper = openai/whisper-large-v3`. */
export type FormValues = {
  name: string;
  baseUrl: string;
  /** Empty if none was typed. */
  key: string;
  prefix: string;
  modelFilter: string;
  modelNames: string;
  voiceNames: string;
  weight: string;
  /** Seconds until the response must begin. */
  headersSec: string;
  paid: boolean;
};

export type FormField = keyof FormValues;

const formatPairs = (names: Readonly<Record<string, string>> = {}): string =>
  Object.entries(names)
    .map(([name, providerName]) => `${name} = ${providerName}`)
    .join("\n");

const defaults = channelFields.parse({ name: "x", baseUrl: "http://localhost", prefix: "x" });

/** A name that is not in use: `groq`, or `groq-2` if that is taken, so that a second account works without editing. */
function uniqueName(baseName: string, usedNames: readonly string[], join: string): string {
  const isFree = (name: string): boolean =>
    !usedNames.some((each) => each.toLowerCase() === name.toLowerCase());
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? baseName : `${baseName}${join}${count}`;
    if (isFree(name)) return name;
  }
}

/** @param preset default a custom server */
export function presetToForm(
  preset: ChannelPreset | undefined,
  others: readonly ChannelView[],
): FormValues {
  return {
    name:
      preset === undefined
        ? ""
        : uniqueName(
            preset.name,
            others.map(({ name }) => name),
            " ",
          ),
    baseUrl: preset?.baseUrl ?? "",
    key: "",
    prefix:
      preset === undefined
        ? ""
        : uniqueName(
            preset.prefix,
            others.map(({ prefix }) => prefix),
            "-",
          ),
    modelFilter: preset?.modelFilter?.join("\n") ?? "",
    modelNames: formatPairs(preset?.modelNames),
    voiceNames: formatPairs(preset?.voiceNames),
    weight: String(defaults.weight),
    headersSec: String(defaults.limits.headersMs / 1000),
    paid: preset?.paid ?? preset !== undefined,
  };
}

export const channelToForm = (channel: ChannelView): FormValues => ({
  name: channel.name,
  baseUrl: channel.baseUrl,
  key: "",
  prefix: channel.prefix,
  modelFilter: channel.modelFilter.join("\n"),
  modelNames: formatPairs(channel.modelNames),
  voiceNames: formatPairs(channel.voiceNames),
  weight: String(channel.weight),
  headersSec: String(channel.limits.headersMs / 1000),
  paid: channel.paid,
});

const splitLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** @returns undefined if a line is not a pair */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = splitLines(text).map((line) => line.split("=").map((part) => part.trim()));
  if (
    pairs.some(
      ([name = "", providerName = "", ...more]) =>
        name === "" || providerName === "" || more.length > 0,
    )
  )
    return undefined;
  return Object.fromEntries(pairs.map(([name = "", providerName = ""]) => [name, providerName]));
}

export type ParsedForm =
  | { readonly fields: ReturnType<typeof toFields>; readonly invalidFields?: undefined }
  | { readonly invalidFields: ReadonlySet<FormField>; readonly fields?: undefined };

const toFields = (
  values: FormValues,
  modelNames: Record<string, string>,
  voiceNames: Record<string, string>,
) => ({
  name: values.name.trim(),
  baseUrl: values.baseUrl.trim(),
  prefix: values.prefix.trim(),
  modelFilter: splitLines(values.modelFilter),
  modelNames,
  voiceNames,
  weight: Number(values.weight),
  paid: values.paid,
});

const keyPattern = /^[\x21-\x7e]{1,1000}$/;

/** @returns the fields to send, or the names of the invalid fields */
export function parseForm(values: FormValues): ParsedForm {
  const invalidFields = new Set<FormField>();
  const modelNames = parsePairs(values.modelNames);
  const voiceNames = parsePairs(values.voiceNames);
  if (modelNames === undefined) invalidFields.add("modelNames");
  if (voiceNames === undefined) invalidFields.add("voiceNames");
  if (values.key.trim() !== "" && !keyPattern.test(values.key.trim())) invalidFields.add("key");
  const fields = toFields(values, modelNames ?? {}, voiceNames ?? {});
  const headersMs = parseHeadersMs(values);
  const { error } = channelFields.safeParse({ ...fields, limits: { headersMs } });
  for (const { path } of error?.issues ?? [])
    invalidFields.add(path[0] === "limits" ? "headersSec" : (path[0] as FormField));
  return invalidFields.size > 0 ? { invalidFields } : { fields };
}

export const parseHeadersMs = ({ headersSec }: FormValues): number =>
  Math.round(Number(headersSec.replace(",", ".")) * 1000);
