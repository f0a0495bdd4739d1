// Privacy in the window. Offline: switched on and off, shown in the rail and on the Channels page, and the list of what
// left. People: whose voices are remembered, exported and forgotten.

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPeople } from "../../../main/library/people.ts";
import { libraryPath } from "../../../main/library/recovery/open-library.ts";
import { openDatabase } from "../../../main/storage/database.ts";
import { chromiumPath } from "../../support/browser.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let page: WatchedPage;

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  page = await whole.open({ path: "/settings" });
}, 180_000);
afterAll(() => whole?.close());

describe.skipIf(none)("Offline in the window (needs Chromium)", () => {
  it("is switched on in Settings and shown in the rail of every page", async () => {
    const indicator = page.getByRole("link", { name: "Offline" });
    expect(await indicator.count()).toBe(0);
    await page.getByRole("switch", { name: "Offline" }).click();
    await indicator.waitFor();
    expect(whole.app.outbound.isOffline()).toBe(true);
    const { id } = await whole.call("addChannel", {
      name: "Cloud",
      baseUrl: "https://cloud.example/v1",
    });
    await page.getByRole("link", { name: "Channels" }).click();
    await page.getByRole("button", { name: /^Cloud/ }).click();
    await page.getByText("Offline is switched on in Settings").waitFor();
    await indicator.click();
    await page.getByRole("switch", { name: "Offline", checked: true }).waitFor();
    await whole.call("removeChannel", {}, id);
  });

  it("follows a change that was made elsewhere", async () => {
    await whole.call("changeOffline", { isOffline: false });
    await page.getByRole("switch", { name: "Offline", checked: false }).waitFor();
    await page.getByRole("link", { name: "Offline" }).waitFor({ state: "detached" });
    expect(whole.app.outbound.isOffline()).toBe(false);
  });

  it("lists what left this machine, until the list is cleared", async () => {
    await whole.call("clearDepartures");
    whole.app.outbound.record(
      "https://api.example/v1/audio/speech",
      { kind: "channel", name: "Cloud" },
      { requests: 1, sentBytes: 420, receivedBytes: 96_000 },
    );
    await page.getByRole("button", { name: "What left this machine" }).click();
    await page.getByRole("row", { name: /^api\.example Channel Cloud 1 420 B 0\.1 MB / }).waitFor();
    await page.setViewportSize({ width: 420, height: 900 });
    const clear = page.getByRole("button", { name: "Clear list" });
    expect(await clear.evaluate((button) => button.getBoundingClientRect().right)).toBeLessThan(
      420,
    );
    await clear.click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear list" }).click();
    await page.getByRole("heading", { name: "Nothing has left this machine" }).waitFor();
    expect((await whole.call("listDepartures")).departures).toEqual([]);
    expect(page.pageErrors).toEqual([]);
  });
});

describe.skipIf(none)("People in the window (needs Chromium)", () => {
  it("are listed with what is known of them, exported, and forgotten", async () => {
    const database = openDatabase(libraryPath(whole.dataDir));
    const people = createPeople(database);
    const voice = { itemId: "a", title: "Talk", speechSec: 9, print: Float32Array.of(0.5, -0.25) };
    for (const name of ["Ada", "Ben"]) people.remember(name, voice);
    const settings = await whole.open({ path: "/settings" });
    const ada = settings.getByRole("row", { name: /^Ada Talk/ });
    await ada.waitFor();
    const download = settings.waitForEvent("download");
    await ada.getByRole("link", { name: "Export Ada" }).click();
    const exported = await readFile(await (await download).path(), "utf8");
    expect(JSON.parse(exported)).toMatchObject({
      name: "Ada",
      recordings: [{ print: [0.5, -0.25] }],
    });
    await ada.getByRole("button", { name: "Forget Ada" }).click();
    await settings.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await ada.waitFor({ state: "detached" });
    expect(people.list().map(({ name }) => name)).toEqual(["Ben"]);
    expect(settings.pageErrors).toEqual([]);
    database.close();
  });
});
