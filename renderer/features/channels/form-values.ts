// A channel as it is typed into a form, and back. Pure. What fits is the contract's to say.

import {
  channelFields,
  type ChannelPreset,
  type ChannelView,
} from "../../../main/contract/channels.ts";

/** Texts as typed. Names stand one pair a line: `whisper = openai/whisper-large-v3`. */
export type FormValues = {
  name: string;
  baseUrl: string;
  /** Empty: none was typed. */
  key: string;
  prefix: string;
  modelFilter: string;
  modelNames: string;
  voiceNames: string;
  weight: string;
  /** Seconds until the answer has to begin. */
  headersSec: string;
  paid: boolean;
  sharesLongFiles: boolean;
};

export type FormField = keyof FormValues;

const linesOf = (names: Readonly<Record<string, string>> = {}): string =>
  Object.entries(names)
    .map(([name, theirs]) => `${name} = ${theirs}`)
    .join("\n");

const usual = channelFields.parse({ name: "x", baseUrl: "http://localhost", prefix: "x" });

/** A free one: `groq`, or `groq-2` where it is taken, so that a second account is no puzzle. */
function free(wanted: string, taken: readonly string[], join: string): string {
  const isFree = (name: string): boolean =>
    !taken.some((each) => each.toLowerCase() === name.toLowerCase());
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}${join}${count}`;
    if (isFree(name)) return name;
  }
}

/** @param preset optional; default a server of one's own */
export function valuesOfPreset(
  preset: ChannelPreset | undefined,
  others: readonly ChannelView[],
): FormValues {
  return {
    name:
      preset === undefined
        ? ""
        : free(
            preset.name,
            others.map(({ name }) => name),
            " ",
          ),
    baseUrl: preset?.baseUrl ?? "",
    key: "",
    prefix:
      preset === undefined
        ? ""
        : free(
            preset.prefix,
            others.map(({ prefix }) => prefix),
            "-",
          ),
    modelFilter: preset?.modelFilter?.join("\n") ?? "",
    modelNames: linesOf(preset?.modelNames),
    voiceNames: linesOf(preset?.voiceNames),
    weight: String(usual.weight),
    headersSec: String(usual.limits.headersMs / 1000),
    paid: preset?.paid ?? preset !== undefined,
    sharesLongFiles: usual.sharesLongFiles,
  };
}

export const valuesOfChannel = (channel: ChannelView): FormValues => ({
  name: channel.name,
  baseUrl: channel.baseUrl,
  key: "",
  prefix: channel.prefix,
  modelFilter: channel.modelFilter.join("\n"),
  modelNames: linesOf(channel.modelNames),
  voiceNames: linesOf(channel.voiceNames),
  weight: String(channel.weight),
  headersSec: String(channel.limits.headersMs / 1000),
  paid: channel.paid,
  sharesLongFiles: channel.sharesLongFiles,
});

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** undefined: a line is no pair. */
function namesOf(text: string): Record<string, string> | undefined {
  const pairs = lines(text).map((line) => line.split("=").map((part) => part.trim()));
  if (
    pairs.some(
      ([name = "", theirs = "", ...more]) => name === "" || theirs === "" || more.length > 0,
    )
  )
    return undefined;
  return Object.fromEntries(pairs.map(([name = "", theirs = ""]) => [name, theirs]));
}

export type ParsedForm =
  | { readonly fields: ReturnType<typeof fieldsOf>; readonly wrong?: undefined }
  | { readonly wrong: ReadonlySet<FormField>; readonly fields?: undefined };

const fieldsOf = (
  values: FormValues,
  modelNames: Record<string, string>,
  voiceNames: Record<string, string>,
) => ({
  name: values.name.trim(),
  baseUrl: values.baseUrl.trim(),
  prefix: values.prefix.trim(),
  modelFilter: lines(values.modelFilter),
  modelNames,
  voiceNames,
  weight: Number(values.weight),
  paid: values.paid,
  sharesLongFiles: values.sharesLongFiles,
});

const keyPattern = /^[\x21-\x7e]{1,1000}$/;

/** What is to be sent, or the fields that do not fit. */
export function parseForm(values: FormValues): ParsedForm {
  const wrong = new Set<FormField>();
  const modelNames = namesOf(values.modelNames);
  const voiceNames = namesOf(values.voiceNames);
  if (modelNames === undefined) wrong.add("modelNames");
  if (voiceNames === undefined) wrong.add("voiceNames");
  if (values.key.trim() !== "" && !keyPattern.test(values.key.trim())) wrong.add("key");
  const fields = fieldsOf(values, modelNames ?? {}, voiceNames ?? {});
  const headersMs = headersMsOf(values);
  const { error } = channelFields.safeParse({ ...fields, limits: { headersMs } });
  for (const { path } of error?.issues ?? [])
    wrong.add(path[0] === "limits" ? "headersSec" : (path[0] as FormField));
  return wrong.size > 0 ? { wrong } : { fields };
}

export const headersMsOf = ({ headersSec }: FormValues): number =>
  Math.round(Number(headersSec.replace(",", ".")) * 1000);
