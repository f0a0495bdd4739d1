import { expect, it } from "vitest";
import { identifyModel } from "../../../main/models/archives/identify-model.ts";
import type { SourceFile } from "../../../main/models/archives/source-files.ts";
import { catalog } from "../../../main/models/catalog.ts";
import { toModelId, toRepositoryId } from "../../../main/models/file-names.ts";

const neverAborted = new AbortController().signal;

/** Files in a folder each, several levels deep. @param onRead called when somebody looks at a name */
const scattered = (count: number, onRead = (): void => {}): SourceFile[] =>
  Array.from({ length: count }, (_, number) => ({
    get name() {
      onRead();
      return `m${number}/a/b/c/d/model.bin`;
    },
    path: "",
    sizeBytes: 1,
  }));

async function readsOf(count: number): Promise<number> {
  let reads = 0;
  const files = scattered(count, () => (reads += 1));
  const task = identifyModel({ name: "many", files }, catalog, neverAborted);
  await expect(task).rejects.toMatchObject({ sent: { id: "modelImport.noFamily" } });
  return reads;
}

it("looks at each file of many folders a fixed number of times", async () => {
  expect((await readsOf(200)) / (await readsOf(100))).toBeLessThan(2.2);
});

it("can be stopped while it looks at many folders", async () => {
  const stop = new AbortController();
  const stopped = new Error("stopped");
  const task = identifyModel({ name: "many", files: scattered(100) }, catalog, stop.signal);
  setImmediate(() => stop.abort(stopped));
  await expect(task).rejects.toBe(stopped);
});

it("takes no model of the catalog for another one with files of the same sizes", async () => {
  for (const entry of catalog.filter(({ sources }) => sources.length > 0)) {
    const files = entry.files.map((file) => ({ ...file, path: `${entry.id}/${file.name}` }));
    const identified = await identifyModel({ name: "import", files }, catalog, neverAborted);
    expect(identified).toMatchObject({ entry: { id: entry.id }, isOfCatalog: true });
  }
});

it("gives repositories ids that nothing else has", () => {
  const repositories = ["ab/c-d", "ab-c/d", "ab/c_d", "ab/c.d", "ab-c-d/e", "whisper/small"];
  const ids = repositories.map(toRepositoryId);
  expect(new Set(ids).size).toBe(repositories.length);
  expect(toRepositoryId("Someone/Whisper-Base")).toBe("someone--whisper-base");
  expect(toRepositoryId("con.x/model")).toBe("model-con.x--model");
  expect(catalog.filter(({ id }) => id.includes("--"))).toEqual([]);
  expect(toModelId("models--someone--whisper")).toBe("models-someone-whisper");
});
