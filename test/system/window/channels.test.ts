// The channels page: another Hearsay is added as a channel and used, channels are reordered by keyboard and mouse,
// errors appear where they occurred.

import type { Locator } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Item } from "../../../main/contract/library-item.ts";
import { chromiumPath } from "../../support/browser.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { waitUntilSettled } from "../../support/pages.ts";
import { wavFile } from "../../support/test-audio.ts";
import { synthesizeSamples, voiceSampleRateHz } from "../../support/test-data.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let other: HearsayProcess;

beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  other = await startHearsay();
}, 180_000);
afterAll(async () => {
  await whole?.close();
  await other?.close();
});

async function opened(): Promise<WatchedPage> {
  const page = await whole.open({ path: "/channels" });
  await waitUntilSettled(page);
  return page;
}

const namesIn = (page: WatchedPage): Promise<string[]> =>
  page.locator(".channel-title").allTextContents();
async function order(page: WatchedPage, names: string[]): Promise<void> {
  await expect.poll(() => namesIn(page)).toEqual(names);
}

async function centre(handle: Locator): Promise<{ x: number; y: number }> {
  const box = await handle.boundingBox();
  if (box === null) throw new Error("The handle is not to be seen.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

describe.skipIf(none)("the channels page (needs Chromium)", () => {
  it("adds another Hearsay by keyboard, tests it, and uses its model", async () => {
    const page = await opened();
    await page.keyboard.press("n");
    await page.getByRole("button", { name: /^Another Hearsay/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("Workstation");
    await page.getByLabel("Prefix", { exact: true }).fill("workstation");
    await page.getByLabel("Base URL").fill("not an address");
    await page.getByLabel("Key", { exact: true }).fill(other.key);
    await page.keyboard.press("Enter");
    await page.getByText("Enter an address such as").waitFor();
    await page.getByLabel("Base URL").fill(other.baseUrl);
    await page.keyboard.press("Enter");
    const test = page.getByRole("region", { name: "Test result" });
    await test.getByText("Everything works").waitFor();
    expect(await test.getByRole("listitem").count()).toBe(5);

    await page.goto(`${whole.pageUrl}#/models/try?model=workstation/whisper-1`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText(/the next chapter/i).waitFor();
    await expect
      .poll(async () => (await whole.call("listChannels")).channels[0]?.health.successes)
      .toBeGreaterThan(0);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("reorders channels by arrow keys and by dragging, and the order persists", async () => {
    await whole.call("addChannel", {
      name: "Nobody",
      prefix: "nobody",
      baseUrl: "http://127.0.0.1:9/v1",
    });
    await whole.call("addChannel", {
      name: "Attic",
      prefix: "attic",
      baseUrl: other.baseUrl,
      key: other.key,
    });
    const page = await opened();
    const handle = (name: string) => page.getByRole("button", { name: `Move ${name}` });
    await order(page, ["Workstation", "Nobody", "Attic"]);
    await handle("Attic").focus();
    await page.keyboard.press("ArrowUp");
    await order(page, ["Workstation", "Attic", "Nobody"]);
    // The focus moves with the channel.
    await page.locator(":focus").and(handle("Attic")).waitFor();
    await page.keyboard.press("ArrowUp");
    await order(page, ["Attic", "Workstation", "Nobody"]);

    // The rows move to their places with an animation.
    await page.waitForFunction(() =>
      document.getAnimations().every(({ playState }) => playState !== "running"),
    );
    const from = await centre(handle("Nobody"));
    const to = await centre(handle("Attic"));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y - 20, { steps: 4 });
    await page.mouse.move(to.x, to.y, { steps: 12 });
    // The rows make room while the channel is dragged over them.
    await expect
      .poll(async () => {
        await page.mouse.move(to.x, to.y - 4);
        await page.mouse.move(to.x, to.y - 5);
        return namesIn(page);
      })
      .toEqual(["Nobody", "Attic", "Workstation"]);
    await page.mouse.up();
    await order(page, ["Nobody", "Attic", "Workstation"]);
    await expect
      .poll(async () =>
        (await whole.call("listChannels")).channels
          .toSorted((a, b) => a.priority - b.priority)
          .map(({ name }) => name),
      )
      .toEqual(["Nobody", "Attic", "Workstation"]);
    await page.reload();
    await waitUntilSettled(page);
    await order(page, ["Nobody", "Attic", "Workstation"]);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("updates a channel's health without user action", async () => {
    const page = await opened();
    const row = page.getByRole("listitem").filter({ hasText: "Attic" });
    await row.getByRole("button", { name: /^Attic/ }).click();
    const requests = row.locator("dl div", { hasText: "Requests" }).locator("dd");
    const before = Number(await requests.textContent());
    const sent = page.waitForRequest(/\/app\/channels$/);
    await (
      await whole.send("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ model: "attic/tts-1", voice: "alloy", input: "Good morning." }),
        headers: { "content-type": "application/json" },
      })
    ).arrayBuffer();
    await sent;
    await expect.poll(() => requests.textContent()).toBe(`${before + 1}`);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("are named in a transcript only where they received the audio", async () => {
    const den = await startUpstream(json({ data: [{ id: "whisper-1" }] }));
    const { id: denId } = await whole.call("addChannel", {
      name: "Den",
      prefix: "den",
      baseUrl: den.baseUrl,
    });
    await expect
      .poll(async () => (await whole.send("/v1/models")).text())
      .toContain("den/whisper-1");
    await den.close();
    await whole.call("changeRouting", {
      aliases: { "whisper-1": ["den/whisper-1", "whisper-1"] },
      prefer: "listed",
    });
    const { id } = (await (
      await whole.send("/app/uploads?name=Talk.wav", {
        method: "POST",
        body: Buffer.from(wavFile([await synthesizeSamples("Good morning.")], voiceSampleRateHz)),
      })
    ).json()) as Item;
    await whole.waitUntilFinished(id);
    await whole.call("changeRouting", { aliases: {}, prefer: "listed" });
    const { channels } = await whole.call("listChannels");
    expect(channels.find(({ name }) => name === "Den")?.health.failures).toBeGreaterThan(0);
    const page = await whole.open({ path: `/transcribe/${id}` });
    await page.locator(".transcript-facts", { hasText: / · on this machine$/ }).waitFor();
    await whole.call("removeChannel", {}, denId);
    await page.context().close();
  });

  it("disables and enables a channel, shows its errors, and asks before removing it", async () => {
    const page = await opened();
    const row = page.getByRole("listitem").filter({ hasText: "Nobody" });
    await row.getByText("Not responding").waitFor();
    await row.getByRole("switch").click();
    await row.getByText("Off", { exact: true }).waitFor();
    await expect
      .poll(
        async () =>
          (await whole.call("listChannels")).channels.find(({ name }) => name === "Nobody")
            ?.enabled,
      )
      .toBe(false);
    await row.getByRole("button", { name: "Actions for Nobody" }).click();
    await page.getByRole("menuitem", { name: "Test" }).click();
    await row.getByText("Something does not work").waitFor();
    await row.getByRole("button", { name: "Actions for Nobody" }).click();
    await page.getByRole("menuitem", { name: "Remove channel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await namesIn(page)).toContain("Nobody");
    await row.getByRole("button", { name: "Actions for Nobody" }).click();
    await page.getByRole("menuitem", { name: "Remove channel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove channel" }).click();
    await order(page, ["Attic", "Workstation"]);
    await page.context().close();
  });
});
