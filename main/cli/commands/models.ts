// hearsay models: lists models and voices, removes models from this machine, and gets them from the hub or from files.

import { parseLanguage } from "../../contract/languages.ts";
import type { ListedModel } from "../../contract/window-api.ts";
import type { AppClient } from "../app-client.ts";
import { benchModels } from "./bench-models.ts";
import { type Command, commandError, type CommandContext, UsageError } from "./command.ts";
import { exportModel, importModel, pullModel } from "./model-files.ts";
import { table } from "./table.ts";

type Action = {
  /** Number of its arguments, at least and at most. */
  takes: readonly [number, number];
  changesNothing: boolean;
  run(context: CommandContext, client: AppClient, args: readonly string[]): Promise<void>;
};

const actions: Readonly<Record<string, Action>> = {
  list: { takes: [0, 0], changesNothing: true, run: list },
  search: { takes: [0, 20], changesNothing: true, run: search },
  pull: {
    takes: [1, 1],
    changesNothing: false,
    run: (context, client, [model = ""]) => pullModel(context, client, model),
  },
  rm: {
    takes: [1, 1],
    changesNothing: false,
    run: async (_, client, [id]) => void (await client.call("removeModel", {}, id)),
  },
  import: {
    takes: [1, 1],
    changesNothing: false,
    run: (context, client, [path = ""]) => importModel(context, client, path),
  },
  export: {
    takes: [2, 2],
    changesNothing: true,
    run: (context, client, [id = "", path = ""]) => exportModel(context, client, id, path),
  },
  bench: { takes: [0, 0], changesNothing: false, run: benchModels },
};

export const models: Command = {
  usage: "models [list | search [WORDS] | pull ID | rm ID | import PATH | export ID FILE | bench]",
  summary: "list models and voices, get models from the hub or from files, remove and measure them",
  options: {
    json: { type: "boolean" },
    "accept-licence": { type: "boolean" },
    revision: { type: "string" },
    models: { type: "string" },
    clip: { type: "string" },
    text: { type: "string" },
    language: { type: "string" },
  },
  settings: ["dataDir", "modelHub", "modelMirrors"],
  help: {
    json: "list, search and bench: as JSON",
    "accept-licence": "pull: accept a licence that is not free",
    revision: "pull owner/name: branch, tag or commit (main)",
    models: "bench: models to compare, separated by commas (all recognizers of this machine)",
    clip: "bench: a recording of yours (the clips that come with the app)",
    text: "bench: file with what is said in the recording",
    language: "bench: language of the recording (en), or of the clips to use (all)",
  },
  async run(context) {
    const [name = "list", ...args] = context.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw new UsageError(`there is no 'models ${name}'`);
    const { takes, changesNothing } = action;
    if (args.length < takes[0] || args.length > takes[1])
      throw new UsageError(
        "expected list, search, pull ID or owner/name, rm ID, import PATH, export ID FILE, or bench",
      );
    await action.run(context, await context.client({ changesNothing }), args);
    return 0;
  },
};

async function list(context: CommandContext, client: AppClient): Promise<void> {
  const { models: all, voices } = await client.call("listModelsAndVoices", { isComplete: true });
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ models: all, voices }, null, 2)}\n`);
    return;
  }
  const { models: described } = await client.call("listModels");
  const ready = new Map(
    described.filter(({ state }) => state === "ready").map((model) => [model.id, model]),
  );
  const damaged = described.filter(({ state }) => state === "damaged");
  await context.print(
    table(
      [
        ...all.map(({ id, kind, ownedBy }) => [id, kind, ...sizeAndSpeed(ready.get(id)), ownedBy]),
        ...damaged.map((model) => [
          model.id,
          "set aside",
          ...sizeAndSpeed(model),
          model.damaged?.message ?? "",
        ]),
        ...voices.map(({ id, character }) => [id, "voice", "", "", character]),
      ],
      [2, 3],
    ),
  );
}

/** On this machine; empty where they are not known. */
const sizeAndSpeed = ({ sizeBytes, measured }: Partial<ListedModel> = {}): [string, string] => [
  sizeBytes === undefined ? "" : toMegabytes(sizeBytes),
  measured?.speed === undefined ? "" : `${measured.speed.toFixed(1)} x`,
];

const toMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/** What can be pulled: models of the catalog that have every word in their id, name or kind, or as a language. */
async function search(
  context: CommandContext,
  client: AppClient,
  words: readonly string[],
): Promise<void> {
  const { models: all } = await client.call("listModels");
  const asked = words.map((word) => ({ text: word.toLowerCase(), language: parseLanguage(word) }));
  const found = all
    .filter(({ state }) => state === "available")
    .filter(({ id, name = "", kind, languages = [] }) =>
      asked.every(
        ({ text, language = "" }) =>
          `${id} ${name} ${kind}`.toLowerCase().includes(text) || languages.includes(language),
      ),
    );
  if (context.values["json"] === true) {
    await context.print(`${JSON.stringify({ models: found }, null, 2)}\n`);
    return;
  }
  if (found.length === 0)
    throw commandError(
      `no model to pull matches '${words.join(" ")}'; 'hearsay models search' lists all of them`,
    );
  const language = asked.find((word) => word.language !== undefined)?.language ?? "en";
  await context.print(
    table(
      [
        ["model", "kind", "size", "languages", `errors (${language})`, "licence"],
        ...found.map((model) => [
          model.id,
          model.kind,
          toMegabytes(model.sizeBytes ?? 0),
          shortList(model.languages ?? []),
          errorsIn(model, language),
          licenceOf(model),
        ]),
      ],
      [2],
    ),
  );
}

/** As published. */
function errorsIn({ errorRates }: ListedModel, language: string): string {
  const published = errorRates?.[language];
  if (published === undefined) return "";
  const of = published.unit === "characters" ? " of characters" : "";
  return `${(published.rate * 100).toFixed(1)} %${of} (${published.testSet})`;
}

const licenceOf = ({ licence = "", mustAcceptLicence }: ListedModel): string =>
  mustAcceptLicence === true ? `${licence} (needs --accept-licence)` : licence;

/** Models may know a hundred languages. */
const shortList = (languages: readonly string[]): string =>
  languages.length > 4
    ? `${languages.slice(0, 3).join(" ")} … (${languages.length})`
    : languages.join(" ");
