// The models page: models are found, opened and tried, and a well-known name becomes an alias for another model.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntilSettled } from "../../support/pages.ts";
import { openFolder, writeAudioFile, synthesizeSamples } from "../../support/test-data.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;
let clip: string;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  clip = await writeAudioFile(
    join(folder.path, "mine.wav"),
    await synthesizeSamples("Yellow lemons roll down the street."),
  );
  whole = await openAppWithWindow({ microphone: clip });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  await folder?.remove();
});

async function opened(path: string): Promise<WatchedPage> {
  const page = await whole.open({ path });
  await waitUntilSettled(page);
  return page;
}

describe.skipIf(none)("the models page (needs Chromium)", () => {
  it("filters all models and opens one in place, by keyboard", async () => {
    const page = await opened("/models");
    const { models } = await whole.call("listModels");
    // `whisper-1`, `tts-1` and `tts-1-hd` stand for other models.
    const count = models.length - 3;
    await page.getByText(`${count} models`).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("whisper mit");
    await expect.poll(() => page.locator(".model-name").count()).toBeLessThan(count);
    await page.getByRole("button", { name: "Whisper base", exact: true }).focus();
    await page.keyboard.press("Enter");
    const names = page.locator(".model-facts > div").filter({ hasText: "Names in the API" });
    await names.waitFor();
    expect(await names.locator("code").allTextContents()).toEqual(["whisper-base", "whisper-1"]);
    await page.getByLabel("Task").selectOption("Speak");
    await page.getByText("No models match these filters").waitFor();
    await page.getByRole("button", { name: "Show all models" }).click();
    await page.getByText(`${count} models`).waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("shows another part from its top", async () => {
    const page = await whole.open({ path: "/models", heightPx: 400 });
    await waitUntilSettled(page);
    const body = page.locator(".page-body");
    await body.evaluate((each) => each.scrollTo(0, each.scrollHeight));
    expect(await body.evaluate((each) => each.scrollTop)).toBeGreaterThan(0);
    await page.evaluate(() => (location.hash = "#/models/try"));
    await page.getByText("Compare voices blind").waitFor();
    await expect.poll(() => body.evaluate((each) => each.scrollTop)).toBe(0);
    await page.context().close();
  });

  it("shows a model's memory use once it is loaded, and stores a memory limit for all", async () => {
    const page = await opened("/models");
    await page.getByRole("button", { name: "Hibari", exact: true }).click();
    const memory = page.locator(".model-facts > div").filter({ hasText: "Memory" });
    expect(await memory.textContent()).toContain("(estimated)");
    await page.evaluate(() =>
      fetch("./v1/audio/speech", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "hibari", voice: "nova", input: "Good morning." }),
      }),
    );
    await memory
      .getByText(/\d{2,}\.\d MB when loaded \(measured on this machine\), loaded now/)
      .waitFor();
    await page.evaluate(() => (location.hash = "/settings"));
    await page.getByText(/One engine process is using \d+\.\d MB/).waitFor();
    const field = page.getByLabel("Memory limit (MB)");
    await field.fill("1500");
    await field.press("Enter");
    await expect.poll(async () => (await whole.call("readPreferences")).memoryMb).toBe(1500);
    await field.fill("");
    await field.press("Enter");
    await expect.poll(async () => (await whole.call("readPreferences")).memoryMb).toBeUndefined();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("sets an alias to another model, with the built-in one as fallback", async () => {
    const page = await opened("/models/names");
    await page.getByLabel("whisper-1 is handled by").selectOption("moonshine-base");
    await expect
      .poll(async () => (await whole.call("readRouting")).aliases["whisper-1"])
      .toEqual(["moonshine-base", "whisper-1"]);
    await page.getByLabel("Fallback 2 for whisper-1").selectOption("whisper-base");
    await expect
      .poll(async () => (await whole.call("readRouting")).aliases["whisper-1"])
      .toEqual(["moonshine-base", "whisper-1", "whisper-base"]);
    await page.getByLabel("Fallback 1 for whisper-1").selectOption("");
    await expect
      .poll(async () => (await whole.call("readRouting")).aliases["whisper-1"])
      .toEqual(["moonshine-base", "whisper-base"]);
    await page.getByLabel("Fallback 1 for whisper-1").selectOption("");
    await expect
      .poll(async () => (await whole.call("readRouting")).aliases["whisper-1"])
      .toEqual(["moonshine-base"]);
    await page.getByLabel("whisper-1 is handled by").selectOption("whisper-1");
    await expect
      .poll(async () => (await whole.call("readRouting")).aliases["whisper-1"])
      .toEqual([]);
    await page.context().close();
  });

  it("tries two models on the user's clip, side by side", async () => {
    const page = await opened("/models/try?model=whisper-base&compare=1");
    await page.getByLabel("Compare with").selectOption("moonshine-base");
    await page.locator("input[type=file]").setInputFiles(clip);
    await page.keyboard.press("t");
    const outcomes = page.getByRole("article");
    await expect.poll(() => outcomes.count()).toBe(2);
    for (const text of await outcomes.allTextContents()) {
      expect(text).toMatch(/lemons/i);
      expect(text).toMatch(/\d\.\d\d s/);
    }
    await page.getByText(/Both recognized the same words|They differ in/).waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("tries a model on a new recording", async () => {
    const page = await opened("/models/try?model=whisper-base");
    await page.getByRole("button", { name: "Record a clip" }).click();
    await page.getByRole("button", { name: "Stop at 0:04" }).click();
    await expect.poll(() => page.getByLabel("Clip", { exact: true }).inputValue()).toBe("file");
    await page.getByRole("button", { name: "Run" }).click();
    await expect
      .poll(async () => (await page.getByRole("article").textContent())?.toLowerCase())
      .toContain("lemons");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("synthesizes the user's sentence with a model and plays it", async () => {
    const page = await opened("/models/try?model=hibari");
    await page.getByLabel("Sentence").fill("Good morning.");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("article").getByRole("button", { name: "Play" }).click();
    await page.getByRole("complementary", { name: "Player" }).getByText("hibari").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});
