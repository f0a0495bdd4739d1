// hearsay channels: manages providers, and which of them is tried first.

import type { ChannelInput, ChannelTest, ChannelView, Routing } from "../../contract/channels.ts";
import {
  aliasNames,
  channelFields,
  channelLimits,
  isAliasName,
  routing,
  nameFallbacks,
} from "../../contract/channels.ts";
import { parseDecimal } from "../../contract/decimal.ts";
import {
  type Command,
  type CommandContext,
  numberOption,
  choiceOption,
  text,
  UsageError,
} from "./command.ts";
import { readStdin } from "./text-input.ts";
import { table } from "./table.ts";

type Action = (context: CommandContext, name: string) => Promise<number>;

const actions: Readonly<Record<string, Action>> = {
  add,
  test,
  on: (context, name) => change(context, name, { enabled: true }),
  off: (context, name) => change(context, name, { enabled: false }),
  set: (context, name) =>
    change(context, name, { ...channelFieldOptions(context), ...nameOption(context) }),
  async rm(context, name) {
    await (await context.client()).call("removeChannel", {}, name);
    return 0;
  },
};

export const channels: Command = {
  usage:
    "channels list | add NAME --url URL [--key-stdin] | " +
    `${Object.keys(actions).slice(1).join("|")} NAME | presets | route`,
  summary: "manage other providers",
  options: {
    preset: { type: "string" },
    url: { type: "string" },
    key: { type: "string" },
    "key-stdin": { type: "boolean" },
    "no-key": { type: "boolean" },
    name: { type: "string" },
    prefix: { type: "string" },
    models: { type: "string" },
    priority: { type: "string" },
    weight: { type: "string" },
    limits: { type: "string" },
    "model-names": { type: "string" },
    "voice-names": { type: "string" },
    free: { type: "boolean" },
    paid: { type: "boolean" },
    prefer: { type: "string" },
    alias: { type: "string", multiple: true },
    json: { type: "boolean" },
    // Without effect; see removed-settings.ts.
    "shares-long-files": { type: "string" },
    "share-long-files": { type: "string" },
  },
  settings: ["dataDir"],
  help: {
    preset: 'add: start from a known provider; "channels presets" lists them',
    url: "the provider's base URL, ending with its version: https://api.openai.com/v1",
    key: "the provider's API key (visible in the process list; --key-stdin is safer)",
    "key-stdin": "read the key from standard input",
    "no-key": "set: remove the stored key",
    name: "set: another name",
    prefix: "prefix of its models, PREFIX/whisper-1 (derived from the name)",
    models: "only these, with * as a wildcard: whisper*,tts*",
    priority: "lower is tried first (10)",
    weight: "share of requests among channels of equal priority (1)",
    limits: "timeouts in seconds, all optional: connect=5,headers=300,body=60,total=900",
    "model-names": "the provider's name of a model: whisper-1=Systran/faster-whisper-large-v3",
    "voice-names": "the provider's name of a voice: alloy=af_alloy,onyx=am_onyx",
    free: "a server of your own: requests cost nothing",
    paid: "requests cost money (default, except for self-hosted presets)",
    prefer: `route: ${routing.shape.prefer.unwrap().options.join(", ")}`,
    alias: "route: models tried for a name, in order: whisper-1=groq/whisper-large-v3,whisper-1",
    json: "as JSON",
  },
  async run(context) {
    const [action = "list", name, ...rest] = context.positionals;
    if (rest.length > 0) throw new UsageError("one channel at a time");
    if (action === "list") return list(context);
    if (action === "presets") return presets(context);
    if (action === "route") return route(context);
    const runAction = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (runAction === undefined) throw new UsageError(`there is no 'channels ${action}'`);
    if (name === undefined)
      throw new UsageError(`'channels ${action}' needs the name of a channel`);
    return runAction(context, name);
  },
};

async function list(context: CommandContext): Promise<number> {
  const { channels: all } = await (
    await context.client({ changesNothing: true })
  ).call("listChannels");
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ channels: all }, null, 2)}\n`);
    return 0;
  }
  if (all.length === 0)
    await context.print("No channels yet: all requests are handled on this machine.\n");
  await context.print(
    table(
      all.map((channel) => [
        channel.name,
        !channel.enabled ? "off" : channel.isBlocked === true ? "offline" : "on",
        `${channel.prefix}/`,
        channel.baseUrl,
        `priority ${channel.priority}`,
        `weight ${channel.weight}`,
        keyNote(channel),
      ]),
    ),
  );
  return 0;
}

const keyNote = ({ key }: ChannelView): string =>
  key === "none" ? "no key" : key === "stored" ? "key stored" : "key from the environment";

async function presets(context: CommandContext): Promise<number> {
  const { presets: all } = await (
    await context.client({ changesNothing: true })
  ).call("listChannels");
  await context.print(table(all.map(({ id, name, baseUrl, note }) => [id, name, baseUrl, note])));
  return 0;
}

async function add(context: CommandContext, name: string): Promise<number> {
  const client = await context.client();
  const { presets: knownPresets } = await client.call("listChannels");
  const presetId = text(context, "preset");
  const preset = knownPresets.find(({ id }) => id === presetId);
  if (presetId !== undefined && preset === undefined)
    throw new UsageError(
      `there is no preset '${presetId}': ${knownPresets.map(({ id }) => id).join(", ")}`,
    );
  const {
    id: _id,
    needsKey: _needsKey,
    note: _note,
    ...presetFields
  } = preset ?? { id: "", needsKey: false, note: "", baseUrl: undefined };
  const { baseUrl, ...optionFields } = channelFieldOptions(context);
  const url = baseUrl ?? presetFields.baseUrl;
  if (url === undefined) throw new UsageError("give --url or --preset");
  const key = await readProviderKey(context);
  const { id } = await client.call("addChannel", {
    ...validateChannel({ ...presetFields, ...optionFields, name, baseUrl: url }),
    key,
  });
  if (context.values["json"] !== true) await context.print(`'${name}' added. Testing it:\n`);
  return test(context, id);
}

async function change(
  context: CommandContext,
  name: string,
  patch: Partial<ChannelInput>,
): Promise<number> {
  const key = context.values["no-key"] === true ? null : await readProviderKey(context);
  const isEmpty = Object.keys(patch).length === 0 && key === undefined;
  if (isEmpty && context.values["shares-long-files"] === undefined)
    throw new UsageError("say what to set");
  const client = await context.client();
  const { channels: before } = await client.call("listChannels");
  const after = await client.call("changeChannel", { ...patch, key }, name);
  const hadKey = before.some((one) => one.id === after.id && one.key !== "none");
  if (hadKey && key === undefined && after.key === "none") {
    context.warn(
      `'${after.name}' has no key any more, because a key is never sent to another address. ` +
        `Set one with 'channels set ${after.id} --key-stdin'.`,
    );
  }
  return 0;
}

/** The prefix is optional here: it defaults to the id. */
const newChannelSchema = channelFields.partial({ prefix: true });

function validateChannel(
  input: ReturnType<typeof channelFieldOptions> & Pick<ChannelInput, "name" | "baseUrl">,
): ReturnType<typeof newChannelSchema.parse> {
  const parsed = newChannelSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`the channel's ${String(issue?.path[0])} ${issue?.message}`);
  }
  return parsed.data;
}

function nameOption(context: CommandContext): Pick<Partial<ChannelInput>, "name"> {
  const name = text(context, "name");
  return name === undefined ? {} : { name };
}

function channelFieldOptions(context: CommandContext): Partial<ChannelInput> {
  const baseUrl = text(context, "url");
  const prefix = text(context, "prefix");
  const filter = text(context, "models");
  const priority = numberOption(context, "priority", 0, 1000);
  const weight = numberOption(context, "weight", 1, 1000);
  const limits = text(context, "limits");
  const modelNames = text(context, "model-names");
  const voiceNames = text(context, "voice-names");
  const { free, paid } = context.values;
  if (free === true && paid === true) throw new UsageError("use only one of --free and --paid");
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(filter === undefined
      ? {}
      : {
          modelFilter: filter
            .split(",")
            .map((one) => one.trim())
            .filter(Boolean),
        }),
    ...(priority === undefined ? {} : { priority }),
    ...(weight === undefined ? {} : { weight }),
    ...(limits === undefined ? {} : { limits: parseLimits(limits) }),
    ...(modelNames === undefined ? {} : { modelNames: parsePairs("model-names", modelNames) }),
    ...(voiceNames === undefined ? {} : { voiceNames: parsePairs("voice-names", voiceNames) }),
    ...(free === true || paid === true ? { paid: paid === true } : {}),
  };
}

/** `a=b,c=d` */
function parsePairs(option: string, value: string): Record<string, string> {
  const entries = value.split(",").map((pair) => pair.split("=", 2).map((side) => side.trim()));
  if (entries.some(([left, right]) => !left || !right))
    throw new UsageError(
      `--${option} must look like this: ${channels.help[option]?.split(": ").at(-1)}`,
    );
  return Object.fromEntries(entries) as Record<string, string>;
}

function parseLimits(value: string): NonNullable<ChannelInput["limits"]> {
  const names = Object.keys(channelLimits.shape).map((name) => name.replace(/Ms$/, ""));
  return Object.fromEntries(
    Object.entries(parsePairs("limits", value)).map(([name, sec]) => {
      if (!names.includes(name) || !(parseDecimal(sec) > 0))
        throw new UsageError(`--limits takes ${names.join(", ")}, each in seconds`);
      return [`${name}Ms`, Math.round(parseDecimal(sec) * 1000)];
    }),
  );
}

async function readProviderKey(context: CommandContext): Promise<string | undefined> {
  const key =
    context.values["key-stdin"] === true ? (await readStdin()).trim() : text(context, "key");
  if (key === "") throw new UsageError("the key is empty");
  return key;
}

/** As the window names them. */
const stepNames: Readonly<Record<ChannelTest["steps"][number]["step"], string>> = {
  reach: "address",
  key: "key",
  models: "models",
  hear: "speech to text",
  speak: "text to speech",
};

async function test(context: CommandContext, name: string): Promise<number> {
  const client = await context.client({ changesNothing: true });
  return printTestReport(context, await client.call("testChannel", {}, name));
}

async function printTestReport(context: CommandContext, report: ChannelTest): Promise<number> {
  if (context.values["json"] === true) await context.print(`${JSON.stringify(report, null, 2)}\n`);
  else
    await context.print(
      table(
        report.steps.map(({ step, outcome, message, tookMs }) => [
          outcome,
          stepNames[step],
          tookMs === undefined ? "" : `${Math.round(tookMs)} ms`,
          message,
        ]),
        [2],
      ),
    );
  return report.ok ? 0 : 1;
}

/** Applies the requested changes, then prints the routing. */
async function route(context: CommandContext): Promise<number> {
  const client = await context.client();
  const prefer = choiceOption(context, "prefer", routing.shape.prefer.unwrap().options);
  const aliasOptions = context.values["alias"];
  const aliases = Object.fromEntries(
    (Array.isArray(aliasOptions) ? aliasOptions : []).map((pair) => parseAlias(String(pair))),
  );
  const before = await client.call("readRouting");
  const after: Routing = {
    ...before,
    aliases: { ...before.aliases, ...aliases },
    ...(prefer === undefined ? {} : { prefer }),
  };
  if (JSON.stringify(after) !== JSON.stringify(before)) await client.call("changeRouting", after);
  await warnAboutUnknownModels(context, Object.values(aliases).flat());
  const rows = aliasNames.map((alias) => [
    alias,
    (after.aliases[alias] ?? []).join(", then ") || "built in",
  ]);
  await context.print(table([...rows, ["prefer", after.prefer]]));
  return 0;
}

/** A target may be offline, or be added later, so it is saved anyway. */
async function warnAboutUnknownModels(
  context: CommandContext,
  targets: readonly string[],
): Promise<void> {
  if (targets.length === 0) return;
  const client = await context.client();
  const { models } = await client.call("listModelsAndVoices", { isComplete: true });
  const knownModelIds = models.map(({ id }) => id);
  const unknownTargets = [...new Set(targets)].filter(
    (id) => !knownModelIds.includes(id) && !nameFallbacks.has(id),
  );
  const names = unknownTargets.map((id) => `'${id}'`).join(", ");
  if (unknownTargets.length > 0)
    context.warn(`no channel offers ${names} at the moment: it is skipped until one does.`);
}

/** `whisper-1=groq/whisper-large-v3,whisper-1` */
function parseAlias(pair: string): [string, string[]] {
  const [alias = "", targets] = pair.split("=", 2);
  if (targets === undefined || !isAliasName(alias))
    throw new UsageError(
      `--alias looks like whisper-1=groq/whisper-large-v3,whisper-1; it takes ${aliasNames.join(", ")}`,
    );
  return [
    alias,
    targets
      .split(",")
      .map((id) => id.trim())
      .filter(Boolean),
  ];
}
