// Finds a model's files by their names: the variant of a graph that suits a CPU, its external data, folders.

import { isExternalDataOf } from "../../contract/external-data.ts";

type NamedFile = { readonly name: string; readonly sizeBytes: number };

export type FileFinder = {
  /** The file whose base name fits, not in a subfolder if possible; undefined if there is none, or several. */
  only(fits: (baseName: string) => boolean): string | undefined;
  /** Likewise, by the base name itself. */
  named(baseName: string): string | undefined;
  /**
   * The first variant of a graph that exists, such as `encoder_model_quantized.onnx` for the stem `encoder_model` and
   * the suffix `_quantized`.
   */
  graph(stem: RegExp, suffixes: readonly string[]): string | undefined;
  /** The path of a folder that has files in it. */
  folder(folderName: string): string | undefined;
  sizeBytes(name: string): number;
  /**
   * Files of the roles, of folders with a role, external data of graphs, and licences. No hidden ones, and of names
   * that differ in upper and lower case only one: not every system can keep both.
   */
  belongingTo(roles: Readonly<Record<string, string>>): string[];
};

const licence = /^(LICEN[CS]E|NOTICE|COPYING|MODEL_CARD)/i;

export function createFileFinder(files: readonly NamedFile[]): FileFinder {
  const only = (fits: (baseName: string) => boolean): string | undefined => {
    const matches = files.map(({ name }) => name).filter((name) => fits(toBaseName(name)));
    const topDepth = Math.min(...matches.map(depth));
    const topMatches = matches.filter((name) => depth(name) === topDepth);
    return topMatches.length === 1 ? topMatches[0] : undefined;
  };
  return {
    only,
    named: (name) => only((baseName) => baseName === name),
    graph(stem, suffixes) {
      const wholeStem = new RegExp(`^(?:${stem.source})$`);
      for (const suffix of suffixes) {
        const end = `${suffix}.onnx`;
        const found = only(
          (baseName) => baseName.endsWith(end) && wholeStem.test(baseName.slice(0, -end.length)),
        );
        if (found !== undefined) return found;
      }
      return undefined;
    },
    folder(folderName) {
      for (const { name } of files) {
        const parts = name.split("/");
        const index = parts.lastIndexOf(folderName, -2);
        if (index >= 0) return parts.slice(0, index + 1).join("/");
      }
      return undefined;
    },
    sizeBytes: (name) => files.find((file) => file.name === name)?.sizeBytes ?? 0,
    belongingTo(roles) {
      const roleNames = Object.values(roles);
      const names = files
        .map(({ name }) => name)
        .filter(
          (name) =>
            licence.test(toBaseName(name)) ||
            roleNames.some(
              (role) =>
                name === role || name.startsWith(`${role}/`) || isExternalDataOf(name, role),
            ),
        );
      const kept = names.filter((name) => !/(^|\/)\./.test(name));
      return [...new Map(kept.map((name) => [name.toLowerCase(), name])).values()];
    },
  };
}

const toBaseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

const depth = (name: string): number => name.split("/").length;
