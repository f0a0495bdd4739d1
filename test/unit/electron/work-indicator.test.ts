import { afterEach, beforeEach, expect, it } from "vitest";
import type { Item } from "../../../main/contract/library-item.ts";
import { app, fake } from "../../support/fake-electron.ts";
import { type WorkIndicator, createWorkIndicator } from "../../../main/electron/work-indicator.ts";
import { messagesFor } from "../../../main/electron/messages.ts";
import { createNotifications } from "../../../main/electron/notifications.ts";

const usual: Item = {
  id: "a",
  kind: "transcript",
  title: "Interview",
  source: "file",
  createdAtMs: 0,
  changedAtMs: 0,
  durationSec: 600,
  sizeBytes: 1,
  state: "waiting",
  progress: 0,
  isPartial: false,
  language: "",
  channels: [],
  tags: [],
  hasMedia: true,
};
let nowMs = 0;
let isFocused = false;
let notifies = true;
let progress = -1;
const opened: string[] = [];
let attention: WorkIndicator;

beforeEach(() => {
  Object.assign(fake, { notifications: [], badgeCount: 0 });
  [nowMs, isFocused, notifies, progress] = [0, false, true, -1];
  opened.length = 0;
  attention = createWorkIndicator({
    notifications: createNotifications(),
    isFocused: () => isFocused,
    shouldNotify: () => notifies,
    setProgress: (part) => (progress = part),
    open: ({ id }) => void opened.push(id),
    texts: () => messagesFor("en", ""),
    now: () => nowMs,
  });
});
afterEach(() => attention.close());

const become = (change: Partial<Item>): void =>
  attention.onEvent({ type: "item", item: { ...usual, ...change } });
function work(durationSec: number, end: Partial<Item> = { state: "done" }): void {
  become({ state: "running" });
  nowMs += durationSec * 1000;
  become(end);
}
const notes = (): unknown[] =>
  fake.notifications.map(({ options: { title, body } }) => [title, body]);

it("notifies about long work that ends while the person is away, and a click opens it", () => {
  work(31);
  expect(notes()).toEqual([["Interview", "Done"]]);
  fake.notifications[0]?.emit("click");
  expect(opened).toEqual(["a"]);
});

it("notifies about long work that fails, with the reason", () => {
  work(31, { state: "failed", error: "The file could not be decoded." });
  expect(notes()).toEqual([["Interview", "Failed: The file could not be decoded."]]);
});

it.each([
  ["short work", () => work(29)],
  ["work that the person ended", () => work(31, { state: "cancelled" })],
  [
    "what the person sees",
    () => {
      isFocused = true;
      work(31);
    },
  ],
  [
    "where it is not wished",
    () => {
      notifies = false;
      work(31);
    },
  ],
  [
    "a recording that ends",
    () => {
      become({ state: "recording" });
      nowMs = 60_000;
      become({ state: "waiting" });
    },
  ],
  [
    "the wait before the work",
    () => {
      become({ state: "waiting" });
      nowMs = 60_000;
      work(10);
    },
  ],
])("does not notify: %s", (_what, happen) => {
  happen();
  expect(notes()).toEqual([]);
});

it("works on a system without notifications", () => {
  fake.hasNotifications = false;
  work(31);
  expect(notes()).toEqual([]);
  fake.hasNotifications = true;
});

it("keeps the machine awake from the start of the first work to the end of the last, whatever its result", () => {
  become({ state: "running" });
  become({ id: "b", state: "recording" });
  expect(fake.blockers.size).toBe(1);
  become({ state: "failed", error: "x" });
  expect(fake.blockers.size).toBe(1);
  attention.onEvent({ type: "item-removed", id: "b" });
  expect(fake.blockers.size).toBe(0);
  become({ state: "running" });
  expect(fake.blockers.size).toBe(1);
  attention.close();
  expect(fake.blockers.size).toBe(0);
});

it("shows the progress of all running work, and the number of unfinished items in the badge", () => {
  become({ state: "running", progress: 0.5 });
  become({ id: "b", state: "running", progress: 0.1 });
  become({ id: "c" });
  expect([progress, fake.badgeCount]).toEqual([0.3, 3]);
  become({ state: "done", progress: 1 });
  expect([progress, fake.badgeCount]).toEqual([0.1, 2]);
  become({ id: "b", state: "cancelled" });
  become({ id: "c", state: "cancelled" });
  expect([progress, fake.badgeCount]).toEqual([-1, 0]);
});

it("ignores events that are not about items", () => {
  attention.onEvent({ type: "channels" });
  expect([fake.blockers.size, progress, app.name]).toEqual([0, -1, "hearsay"]);
});
