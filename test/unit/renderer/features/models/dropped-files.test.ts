import { expect, it } from "vitest";
import { maxImportFiles } from "../../../../../main/contract/model-downloads.ts";
import {
  fromDropped,
  fromFiles,
  type ModelSource,
} from "../../../../../renderer/features/models/dropped-files.ts";

type Tree = { [name: string]: string | Tree };

let filesRead = 0;

/** As browsers hand out what was dropped: a folder's entries in parts, and at last none. */
function toEntry(name: string, content: string | Tree, above = ""): object {
  const fullPath = `${above}/${name}`;
  if (typeof content === "string")
    return {
      name,
      fullPath,
      isFile: true,
      file(resolve: (file: File) => void) {
        filesRead += 1;
        resolve(new File([content], name));
      },
    };
  const entries = Object.entries(content).map((each) => toEntry(...each, fullPath));
  return {
    name,
    fullPath,
    isFile: false,
    createReader: () => ({
      readEntries: (resolve: (part: object[]) => void) => resolve(entries.splice(0, 100)),
    }),
  };
}

const drop = (tree: Tree) =>
  fromDropped({
    items: Object.entries(tree).map((each) => ({ webkitGetAsEntry: () => toEntry(...each) })),
  } as unknown as DataTransfer);

const pathsOf = (source: ModelSource): string[] =>
  "files" in source ? source.files.map(({ path }) => path) : [];

it("takes the files of a folder, without hidden ones", async () => {
  const source = await drop({
    whisper: {
      ".git": { objects: { pack: "x".repeat(100_000) } },
      ".DS_Store": "y",
      "config.json": "{}",
      onnx: { "encoder_model.onnx": "weights" },
    },
  });
  expect(source.name).toBe("whisper.tar");
  expect(pathsOf(source)).toEqual(["whisper/config.json", "whisper/onnx/encoder_model.onnx"]);
});

it("leaves an archive as it is", async () => {
  const source = await drop({ "model.zip": "PK" });
  expect(source).toMatchObject({ name: "model.zip" });
  expect("archive" in source && (await source.archive.text())).toBe("PK");
});

it("does not read on in a folder of more files than can be imported", async () => {
  const many = Object.fromEntries(
    Array.from({ length: maxImportFiles + 500 }, (_, index) => [`${index}.onnx`, ""]),
  );
  filesRead = 0;
  expect(pathsOf(await drop({ one: many, other: many }))).toHaveLength(maxImportFiles + 1);
  expect(filesRead).toBe(maxImportFiles + 1);
  const files = Object.keys(many).map((name) => new File([""], name));
  expect(pathsOf(fromFiles(files))).toHaveLength(maxImportFiles + 1);
});
