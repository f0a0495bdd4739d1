// Setting the price of a provider's model from the palette.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import { openAppWithWindow, type AppWithWindow } from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
beforeAll(async () => {
  if (none) return;
  whole = await openAppWithWindow();
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(() => whole?.close());

describe.skipIf(none)("the price of a model (needs Chromium)", () => {
  it("is set from the palette, for the open model", async () => {
    const upstream = await startUpstream();
    upstream.setBehaviour(
      json({
        object: "list",
        data: [{ id: "accurate-model", object: "model", created: 0, owned_by: "somebody" }],
      }),
      "/models",
    );
    await whole.call("addChannel", {
      name: "Elsewhere",
      prefix: "elsewhere",
      baseUrl: upstream.baseUrl,
      paid: true,
    });
    await expect
      .poll(async () => (await whole.call("listModels")).models.map(({ id }) => id))
      .toContain("elsewhere/accurate-model");
    const page = await whole.open({ path: "/models" });
    await page.getByRole("button", { name: "accurate-model", exact: true }).click();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("Set price");
    await page.getByRole("option", { name: "Set price" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".model-price input:focus");
    await page.keyboard.type("0.02");
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => (await whole.call("readPrices")).prices)
      .toMatchObject({ "elsewhere/accurate-model": { perMinuteUsd: 0.02 } });
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});
