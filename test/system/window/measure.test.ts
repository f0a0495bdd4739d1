// The Models page measures models on clips with known text, and compares voices blind.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { waitUntilSettled } from "../../support/pages.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let whole: AppWithWindow;

beforeAll(async () => {
  if (!none) whole = await openAppWithWindow();
}, 180_000);
afterAll(() => whole?.close());

declare const window: { axe: { run(): Promise<AxeResults> } };

/** Colors of a transition in progress would not count. */
async function violations(page: Page): Promise<unknown[]> {
  await waitUntilSettled(page);
  const { violations: found } = await page.evaluate(() => window.axe.run());
  return found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

describe.skipIf(none)("measuring models (needs Chromium)", () => {
  it("marks the errors of two models in a clip with its text, and keeps a table of them", async () => {
    const page = await whole.open({
      path: "/models/try?model=whisper-base&compare=1",
      initScript: axe,
    });
    await waitUntilSettled(page);
    await page.getByLabel("Compare with").selectOption("moonshine-base");
    await page.getByLabel("Clip", { exact: true }).selectOption("app:english-1");
    await page.getByText("The cabbage juice changes color").waitFor();
    await page.keyboard.press("t");
    const outcomes = page.getByRole("article");
    await expect.poll(() => outcomes.count()).toBe(2);
    const texts = await outcomes.allTextContents();
    for (const text of texts)
      expect(text).toMatch(/errors \(\d+ in 15 words\) · [\d.]+ × real time/);
    // The memory of a model that was loaded into memory freed before is unknown.
    expect(texts.join()).toMatch(/real time · [\d.]+ MB/);
    const removeButtons = page.getByRole("button", { name: /^Remove / });
    await expect.poll(() => removeButtons.count()).toBe(2);
    await page.getByLabel("Clip", { exact: true }).selectOption({ label: "All 2 in English" });
    await page.keyboard.press("t");
    await expect
      .poll(async () => (await outcomes.allTextContents()).join())
      .toMatch(/in 30 words.*English 1.*English 2.*in 30 words.*English 1.*English 2/s);
    await expect.poll(() => removeButtons.count()).toBe(4);
    // Only the page's body scrolls.
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    expect(await violations(page)).toEqual([]);
    const { models } = await whole.call("listModels");
    expect(models.find(({ id }) => id === "whisper-base")?.measuredErrorRates).toMatchObject({
      en: { unit: "words", clips: 2 },
    });
    const csv = await (await whole.send("/app/models/measurements.csv")).text();
    expect(csv.split("\r\n")).toHaveLength(6);
    await page.getByRole("button", { name: "Remove whisper-base, English 1" }).click();
    await expect
      .poll(async () => (await whole.call("listMeasurements")).measurements.length)
      .toBe(3);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  }, 120_000);

  it("fits a narrow window", async () => {
    const page = await whole.open({ path: "/models/try", widthPx: 400 });
    await waitUntilSettled(page);
    const tabs = page.getByLabel("Sections").getByRole("radio");
    expect(await tabs.count()).toBe(4);
    for (const tab of await tabs.all())
      expect(await tab.evaluate((each) => each.scrollHeight - each.clientHeight)).toBe(0);
    const body = page.locator(".page-body");
    expect(await body.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    await page.context().close();
  });

  it("shows the measured error rate beside the published one", async () => {
    await whole.call("addMeasurement", {
      model: "whisper-base",
      clip: "mine",
      language: "ru",
      expected: "раз два три четыре",
      text: "раз два три пять",
      tookSec: 1,
    });
    const page = await whole.open({ path: "/models?language=ru", initScript: axe });
    await waitUntilSettled(page);
    await page.getByRole("button", { name: "Whisper base", exact: true }).click();
    const accuracy = page.locator(".model-facts > div").filter({ hasText: "Accuracy in Russian" });
    expect(await accuracy.textContent()).toMatch(
      /22\.9 % of words wrong FLEURS, transcribe\.cpp\s*25\.0 % of words wrong, measured by you on 1 clip/,
    );
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  it("measures the speed of a model, and says why it could not", async () => {
    const page = await whole.open({ path: "/models" });
    await waitUntilSettled(page);
    await page.getByRole("button", { name: "Hibari", exact: true }).click();
    await page.route(
      /\/app\/models\/hibari\/trial$/,
      (route) => route.fulfill({ status: 500, json: { error: { message: "Not today." } } }),
      { times: 1 },
    );
    const measure = page.getByRole("button", { name: "Measure speed" });
    await measure.click();
    await page.getByRole("alert").getByText("Not today.").waitFor();
    await measure.click();
    const speed = page.locator(".model-facts > div").filter({ hasText: "Speed here" });
    await speed.getByText("× real time").waitFor();
    const { models } = await whole.call("listModels");
    expect(models.find(({ id }) => id === "hibari")?.measured?.speed).toBeGreaterThan(0);
    await page.context().close();
  }, 120_000);

  it("measures the speed of a model in its row", async () => {
    const page = await whole.open({ path: "/models", initScript: axe });
    await waitUntilSettled(page);
    const row = page.getByRole("row").filter({ hasText: "whisper-base" });
    await row.getByRole("button", { name: "Measure Whisper base" }).click();
    await row.getByText("× real time").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  }, 120_000);

  it("refuses a comparison in which another voice would speak, and names it in a trial", async () => {
    const page = await whole.open({ path: "/models/try" });
    await waitUntilSettled(page);
    const before = (await whole.call("listMeasurements")).voices;
    await page.getByLabel("One voice").selectOption({ label: "kokoro: ef_dora" });
    await page.getByLabel("The other voice").selectOption({ label: "kokoro: em_alex" });
    await page
      .getByLabel("What both say")
      .fill("The ferry leaves in the morning, as it always did.");
    await page.getByRole("button", { name: "Generate both" }).click();
    await page
      .getByText(/does not know the language of this sentence: (af_nova|am_onyx) would/)
      .waitFor();
    expect(await page.getByRole("button", { name: "A is better" }).count()).toBe(0);
    expect((await whole.call("listMeasurements")).voices).toEqual(before);

    await page.getByRole("radio", { name: "Text to speech" }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("kokoro");
    await page.getByLabel("Sentence", { exact: true }).fill("The ferry leaves in the morning.");
    await page.getByLabel("Voice", { exact: true }).selectOption("ef_dora");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("Spoken by af_nova: ef_dora does not know the language.").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  }, 120_000);

  it("hides the names of two voices until the vote, and counts it", async () => {
    const page = await whole.open({ path: "/models/try", initScript: axe });
    await waitUntilSettled(page);
    await page.getByLabel("One voice").selectOption({ label: "hibari: nova" });
    await page.getByLabel("The other voice").selectOption({ label: "hibari: echo" });
    await page.getByLabel("What both say").fill("Good morning.");
    await page.getByRole("button", { name: "Generate both" }).click();
    await page.getByRole("heading", { name: "Voice A" }).waitFor();
    expect((await page.getByRole("article").allTextContents()).join()).not.toMatch(/nova|echo/);
    await page.getByRole("button", { name: "B is better" }).press("Enter");
    const winner = await page.getByRole("heading", { name: /^B: hibari/ }).textContent();
    const { voices } = await whole.call("listMeasurements");
    expect(voices.map(({ won, lost }) => [won, lost])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(winner).toBe(`B: hibari, ${voices[0]?.voice}`);
    await page.getByRole("button", { name: "Play B" }).click();
    await page.getByRole("complementary", { name: "Player" }).getByText("B: hibari").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  }, 120_000);
});
