// What happens to files that are opened with Hearsay, over an app whose results the test scripts.

import { beforeEach, expect, it, vi } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import { appError } from "../../support/app-error.ts";
import type { PageCommand } from "../../../main/contract/desktop-bridge.ts";
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

/** `refuses` returns the reason for a rejection. */
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

it("imports files that arrive separately one after the other", async () => {
  const opening = create();
  await Promise.all(paths(1000).map((path) => open(opening, [path])));
  expect(taken).toEqual(paths(1000));
  expect(most).toBe(1);
  expect(commands).toEqual([{ type: "go", path: "/transcribe" }]);
});

it("navigates to a single file", async () => {
  const opening = create();
  void open(opening, ["/one.mp3"]);
  await vi.waitFor(() => expect(commands).toEqual([{ type: "go", path: "/transcribe/item-1" }]));
  void open(opening, ["/two.mp3"]);
  await vi.waitFor(() =>
    expect(commands.at(-1)).toEqual({ type: "go", path: "/transcribe/item-2" }),
  );
  expect(fake.recentDocuments).toEqual(["/one.mp3", "/two.mp3"]);
});

it("reports rejected files in one dialog of limited height, and imports other files meanwhile", async () => {
  fake.dialogResponse = new Promise(() => {});
  const opening = create((path) =>
    path.startsWith("/music") ? appError("undecodable_audio", "It has no sound.") : undefined,
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

it("shows no dialog for files that were not imported because of the shutdown", async () => {
  const message = "Hearsay is shutting down.";
  // The caller still gets the reasons.
  expect(
    await open(
      create(() => appError("closing", message)),
      paths(5),
    ),
  ).toMatchObject(paths(5).map((path) => ({ path, message })));
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
  expect([fake.dialogs, commands]).toEqual([[], []]);
});

it("resolves when the files are imported, after those queued before them, with the reasons for the others", async () => {
  fake.dialogResponse = new Promise(() => {});
  const opening = create((path) =>
    path === "/bad.txt" ? appError("undecodable_audio", "It has no sound.") : undefined,
  );
  const [first, second] = [open(opening, paths(10)), open(opening, ["/bad.txt", "/good.mp3"])];
  const { sent } = appError("undecodable_audio", "It has no sound.");
  expect(await second).toEqual([{ path: "/bad.txt", ...sent }]);
  expect(taken).toEqual([...paths(10), "/good.mp3"]);
  expect(await first).toEqual([]);
  fake.dialogResponse = 0;
});
