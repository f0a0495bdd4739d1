// What becomes of files that are opened with Hearsay, over an app that takes them as the test says.

import { beforeEach, expect, it, vi } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import type { PageCommand } from "../../../main/contract/shell-bridge.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { createFileOpener } from "../../../main/electron/file-opener.ts";
import { quietLog } from "../../support/app.ts";
import { fake } from "../../support/fake-electron.ts";

let taken: string[];
let most: number;
let commands: PageCommand[];
let shown: number;

beforeEach(() => {
  [taken, most, commands, shown] = [[], 0, [], 0];
  Object.assign(fake, { dialogs: [], recentDocuments: [] });
});

/** `refuses` gives the reason. */
function create(refuses: (path: string) => AppError | undefined = () => undefined) {
  let underWay = 0;
  return createFileOpener({
    hearsay: {
      async importFile(path) {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((next) => setImmediate(next));
        underWay -= 1;
        const reason = refuses(path);
        if (reason !== undefined) throw reason;
        taken.push(path);
        return { id: `item-${taken.length}` } as never;
      },
    },
    mainWindow: {
      show: () => void (shown += 1),
      openHidden() {},
      command: (...given) => void commands.push(...given),
    },
    dictate() {},
    texts: () => messagesFor("en", ""),
    log: quietLog,
  });
}

const paths = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `/music/${at}.mp3`);
const open = (opening: ReturnType<typeof create>, some: readonly string[]): Promise<object[]> =>
  opening.open({ paths: [...some], dictates: false, isHidden: false });

it("files that come each by itself are taken one after the other, all of them", async () => {
  const opening = create();
  await Promise.all(paths(1000).map((path) => open(opening, [path])));
  expect(taken).toEqual(paths(1000));
  expect(most).toBe(1);
  expect(commands).toEqual([{ type: "go", path: "/transcribe" }]);
});

it("the page goes to a file that comes alone", async () => {
  const opening = create();
  void open(opening, ["/one.mp3"]);
  await vi.waitFor(() => expect(commands).toEqual([{ type: "go", path: "/transcribe/item-1" }]));
  void open(opening, ["/two.mp3"]);
  await vi.waitFor(() =>
    expect(commands.at(-1)).toEqual({ type: "go", path: "/transcribe/item-2" }),
  );
  expect(fake.recentDocuments).toEqual(["/one.mp3", "/two.mp3"]);
});

it("what is refused is told once, and no higher than a screen; what comes meanwhile is taken", async () => {
  fake.dialogResponse = new Promise(() => {});
  const opening = create((path) =>
    path.startsWith("/music") ? new AppError("undecodable_audio", "It has no sound.") : undefined,
  );
  void open(opening, paths(40));
  await vi.waitFor(() => expect(fake.dialogs.length).toBe(1));
  const lines = fake.dialogs[0]?.detail?.split("\n") ?? [];
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([
    11,
    "0.mp3: It has no sound.",
    "… and 30 more",
  ]);
  void open(opening, ["/good.mp3"]);
  await vi.waitFor(() => expect(taken).toEqual(["/good.mp3"]));
  fake.dialogResponse = 0;
});

it("an app that is about to end is silent about what it did not take any more", async () => {
  const message = "Hearsay is shutting down.";
  // But for whoever asks.
  expect(
    await open(
      create(() => new AppError("closing", message)),
      paths(5),
    ),
  ).toEqual(paths(5).map((path) => ({ path, message })));
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
  expect([fake.dialogs, commands]).toEqual([[], []]);
});

it("answers when the files were taken, also those that wait for others, with the reasons for the rest", async () => {
  fake.dialogResponse = new Promise(() => {});
  const opening = create((path) =>
    path === "/bad.txt" ? new AppError("undecodable_audio", "It has no sound.") : undefined,
  );
  const [first, second] = [open(opening, paths(10)), open(opening, ["/bad.txt", "/good.mp3"])];
  expect(await second).toEqual([{ path: "/bad.txt", message: "It has no sound." }]);
  expect(taken).toEqual([...paths(10), "/good.mp3"]);
  expect(await first).toEqual([]);
  fake.dialogResponse = 0;
});
