import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../../main/contract/errors.ts";
import type { Item } from "../../../../main/contract/library-item.ts";
import { watchPreferences } from "../../../../main/contract/watch-folder.ts";
import { createWatchFolder } from "../../../../main/jobs/watch-folder/watch-folder.ts";
import { createWatchedFileStore } from "../../../../main/jobs/watch-folder/watched-files.ts";
import { quietLog } from "../../../support/app.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

/** The test reads the folder itself: between two reads, a file has time to grow. */
async function openWatch() {
  const folder = await openTestFolder();
  const dataDir = await openTestFolder();
  const database = openTestLibrary();
  const items = new Map<string, Item>();
  const imported: string[] = [];
  const chosen = watchPreferences.parse({ folder, formats: ["txt", "srt"] });
  const create = () => {
    const watch = createWatchFolder({
      preferences: () => chosen,
      async importFile(path) {
        if ((await readFile(path, "utf8")) === "broken") throw new AppError("file.undecodable");
        imported.push(path.slice(folder.length + 1));
        const item = { id: `item-${imported.length}`, state: "running" } as Item;
        items.set(item.id, item);
        return item;
      },
      dataDir,
      findItem: (id) => items.get(id),
      exportTranscript: async ({ id }, format) => Buffer.from(`${format} of ${id}`),
      store: createWatchedFileStore(database),
      onChange: () => {},
      log: quietLog,
      intervalMs: 600_000,
    });
    onTestFinished(() => watch.close());
    return watch;
  };
  const end = (id: string, state: Item["state"] = "done"): void =>
    void items.set(id, { ...(items.get(id) as Item), state });
  return { folder, dataDir, chosen, watch: create(), create, imported, items, end };
}

const statesOf = (watch: Awaited<ReturnType<typeof openWatch>>["watch"]) =>
  watch.status().files.map(({ name, state }) => `${name} ${state}`);

it("transcribes a new file once it has stopped growing, and writes the results beside it", async () => {
  const { folder, watch, imported, end } = await openWatch();
  await writeFile(join(folder, "old.mp3"), "was there before");
  await watch.scan();
  await writeFile(join(folder, "talk.mp3"), "part");
  await watch.scan();
  await appendFile(join(folder, "talk.mp3"), " and more");
  await watch.scan();
  expect(imported).toEqual([]);
  await watch.scan();
  expect([imported, statesOf(watch)]).toEqual([["talk.mp3"], ["talk.mp3 working"]]);
  end("item-1");
  await watch.scan();
  await watch.scan();
  expect([imported.length, statesOf(watch)]).toEqual([1, ["talk.mp3 done"]]);
  expect((await readdir(folder)).sort()).toEqual(["old.mp3", "talk.mp3", "talk.srt", "talk.txt"]);
  expect(await readFile(join(folder, "talk.srt"), "utf8")).toBe("srt of item-1");
});

it("writes over nothing, and reads neither its own results nor links nor other files", async () => {
  const { folder, watch, imported, end } = await openWatch();
  const outside = join(await openTestFolder(), "secret.mp3");
  await writeFile(outside, "elsewhere");
  await watch.scan();
  await writeFile(join(folder, "talk.txt"), "notes of mine");
  await writeFile(join(folder, "talk.mp3"), "sound");
  if (process.platform !== "win32") await symlink(outside, join(folder, "link.mp3"));
  for (let scan = 0; scan < 3; scan += 1) await watch.scan();
  end("item-1");
  for (let scan = 0; scan < 3; scan += 1) await watch.scan();
  expect(imported).toEqual(["talk.mp3"]);
  expect(await readFile(join(folder, "talk.txt"), "utf8")).toBe("notes of mine");
  expect(await readFile(join(folder, "talk (2).txt"), "utf8")).toBe("txt of item-1");
});

it("says which file failed and why, and goes on with the others", async () => {
  const { folder, watch, items, end } = await openWatch();
  await watch.scan();
  for (const [name, content] of ["broken", "a", "b", "c"].entries())
    await writeFile(join(folder, `${name}.wav`), content);
  for (let scan = 0; scan < 2; scan += 1) await watch.scan();
  end("item-1", "cancelled");
  items.delete("item-2");
  end("item-3");
  await watch.scan();
  expect(statesOf(watch).sort()).toEqual([
    "0.wav failed",
    "1.wav failed",
    "2.wav failed",
    "3.wav done",
  ]);
  expect(watch.status().files.find(({ name }) => name === "0.wav")?.error).toMatchObject({
    id: "file.undecodable",
  });
});

it("goes on after a restart, and after the folder was away", async () => {
  const { folder, watch, create, imported, end } = await openWatch();
  await watch.scan();
  await writeFile(join(folder, "talk.mp3"), "sound");
  for (let scan = 0; scan < 2; scan += 1) await watch.scan();
  await watch.close();
  end("item-1");
  const away = `${folder}-away`;
  await rename(folder, away);
  const later = create();
  await later.scan();
  expect([later.status().state, statesOf(later)]).toEqual(["missing", ["talk.mp3 working"]]);
  await rename(away, folder);
  for (let scan = 0; scan < 3; scan += 1) await later.scan();
  expect([later.status().state, statesOf(later), imported]).toEqual([
    "watching",
    ["talk.mp3 done"],
    ["talk.mp3"],
  ]);
  expect(await readdir(folder)).toContain("talk.txt");
});

const isValid = (folder: string): boolean => watchPreferences.safeParse({ folder }).success;

it("takes absolute paths only", () => {
  expect(["", "/home/me/Recordings", "C:\\Recordings", "\\\\server\\share"].every(isValid)).toBe(
    true,
  );
  expect(["Recordings", "./here", "../up", "~/x", "C:here"].some(isValid)).toBe(false);
});

it("goes on with others when files that are being transcribed are moved away", async () => {
  const { folder, watch, imported } = await openWatch();
  await watch.scan();
  const names = ["a.mp3", "b.mp3", "c.mp3", "d.mp3"];
  for (const name of names) await writeFile(join(folder, name), name);
  for (let scan = 0; scan < 2; scan += 1) await watch.scan();
  expect(imported.toSorted()).toEqual(names);
  for (const name of names) await rm(join(folder, name));
  await writeFile(join(folder, "next.mp3"), "next");
  for (let scan = 0; scan < 2; scan += 1) await watch.scan();
  expect(imported.at(-1)).toBe("next.mp3");
});

it("leaves alone what was put into the folder while it was not watched", async () => {
  const { folder, chosen, watch, imported } = await openWatch();
  await watch.scan();
  chosen.folder = "";
  await watch.scan();
  await writeFile(join(folder, "meanwhile.mp3"), "sound");
  chosen.folder = folder;
  for (let scan = 0; scan < 3; scan += 1) await watch.scan();
  expect(imported).toEqual([]);
});

it("does not read the data folder, nor a folder in it, even through a link", async () => {
  const { folder, dataDir, chosen, watch, imported } = await openWatch();
  const inside = join(dataDir, "podcast");
  await mkdir(inside);
  const link = join(folder, "link");
  const linked = process.platform === "win32" ? [] : [link];
  if (linked.length > 0) await symlink(inside, link);
  for (const path of [dataDir, inside, ...linked]) {
    chosen.folder = path;
    await watch.scan();
    await writeFile(join(inside, "episode.mp3"), path);
    for (let scan = 0; scan < 3; scan += 1) await watch.scan();
    expect(watch.status()).toEqual({ state: "ownFolder", files: [] });
  }
  expect(imported).toEqual([]);
  chosen.folder = folder;
  await watch.scan();
  expect(watch.status().state).toBe("watching");
});
