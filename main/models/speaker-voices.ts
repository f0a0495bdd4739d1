// The voices of a model whose entry lists none, such as one of a repository: its own files tell their names, once they
// are on this machine.

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CatalogEntry, ModelVoice } from "../contract/models.ts";
import { readOnnxMetadata } from "../storage/onnx-metadata.ts";
import { isFields } from "./families/family-recognizer.ts";
import { toKokoroVoice } from "./kokoro-voices.ts";

/** In the order of their numbers. */
type Speakers = {
  readonly names: readonly string[];
  readonly count: number;
  readonly region?: string;
};

/** @param dir folder with all files of the model */
export async function withVoices<Model extends CatalogEntry>(
  model: Model,
  dir: string,
): Promise<Model> {
  if (model.kind !== "text-to-speech" || model.voices !== undefined) return model;
  const speakers = (await readPiperConfig(model, dir)) ?? (await readGraphs(model, dir));
  return { ...model, voices: toVoices(model, speakers) };
}

async function readPiperConfig(
  { files }: CatalogEntry,
  dir: string,
): Promise<Speakers | undefined> {
  const file = files.find(({ name }) => name.endsWith(".onnx.json"));
  if (file === undefined) return undefined;
  const config: unknown = JSON.parse(await readFile(join(dir, file.name), "utf8"));
  if (!isFields(config)) return undefined;
  const { speaker_id_map: ids, num_speakers: count, language } = config;
  const names = Object.entries(isFields(ids) ? ids : {})
    .toSorted(([, one], [, other]) => Number(one) - Number(other))
    .map(([name]) => name);
  // `en_US-amy-low.onnx.json`
  const [, voice = ""] = /^[a-z]{2,3}_[A-Z]{2}-([^-]+)-/.exec(basename(file.name)) ?? [];
  const code = isFields(language) ? String(language["code"]) : "";
  const region = /^[a-z]{2,3}_([A-Z]{2})$/.exec(code)?.[1];
  const isOne = names.length <= 1 && !(Number(count) > 1);
  return {
    names: isOne && voice !== "" ? [voice] : names,
    count: isOne ? 1 : Number(count),
    ...(region === undefined ? {} : { region }),
  };
}

/** sherpa-onnx's layout: one of the graphs says it. */
async function readGraphs({ files }: CatalogEntry, dir: string): Promise<Speakers> {
  for (const { name } of files.filter((file) => file.name.endsWith(".onnx"))) {
    const metadata = await readOnnxMetadata(join(dir, name));
    const count = Number(metadata.get("n_speakers"));
    if (!(count > 0)) continue;
    const names = metadata.get("speaker_names")?.split(",").filter(Boolean) ?? [];
    return { names, count };
  }
  return { names: [], count: 1 };
}

/** Of several speakers without names, a number after the model's id, which no other model has. */
function toVoices(model: CatalogEntry, { names, count, region }: Speakers): ModelVoice[] {
  const ids =
    names.length > 0
      ? names
      : count > 1
        ? Array.from({ length: count }, (_, number) => `${model.id}-${number}`)
        : [model.id];
  return ids.map(
    (id) =>
      (model.family === "kokoro" ? toKokoroVoice(id) : undefined) ?? {
        id,
        name: id.charAt(0).toUpperCase() + id.slice(1).replaceAll("_", " "),
        character: model.name,
        language: model.languages[0]?.code ?? "",
        ...(region === undefined ? {} : { region }),
        ...genderOf(model, id),
      },
  );
}

/** Kitten's speakers are named such as `expr-voice-2-m`. */
function genderOf({ family }: CatalogEntry, id: string): Pick<ModelVoice, "gender"> {
  const [, letter] = (family === "kitten" && /-([mf])$/.exec(id)) || [];
  return letter === undefined ? {} : { gender: letter === "m" ? "male" : "female" };
}
