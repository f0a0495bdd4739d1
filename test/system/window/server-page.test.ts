// The server page of a running app: a key is created, used by the official client, revoked and refused; the API is
// stopped and started; requests appear as they arrive.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import OpenAI, { AuthenticationError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkAddresses } from "../../../main/server/http/network-addresses.ts";
import { chromiumPath } from "../../support/browser.ts";
import { findFreePort } from "../../support/free-port.ts";
import {
  openAppWithWindow,
  type WatchedPage,
  type AppWithWindow,
} from "../../support/app-with-window.ts";

const none = chromiumPath === undefined;
let whole: AppWithWindow;
let page: WatchedPage;
let wyomingPort: number;

beforeAll(async () => {
  if (none) return;
  wyomingPort = await findFreePort();
  whole = await openAppWithWindow({
    environment: {
      HEARSAY_WYOMING_HOST: "0.0.0.0",
      HEARSAY_WYOMING_ANNOUNCE: "0",
    },
  });
  page = await whole.open({ path: "/server/keys" });
}, 180_000);
afterAll(() => whole?.close());

const fetchFeed = ({ port, pathname }: URL): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${pathname}`);

describe.skipIf(none)("the server page (needs Chromium)", () => {
  it("creates a key by keyboard alone that works until it is revoked", async () => {
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("My script");
    await page.keyboard.press("Enter");
    const secret = (await page.getByRole("status").locator("code").textContent()) ?? "";
    const client = new OpenAI({ baseURL: whole.baseUrl, apiKey: secret, maxRetries: 0 });
    expect((await client.models.list()).data.map(({ id }) => id)).toContain("whisper-1");

    await page.getByRole("button", { name: "Revoke key My script" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await expect(client.models.list()).rejects.toBeInstanceOf(AuthenticationError);
  });

  it("shows what is missing before a key can be created", async () => {
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Monthly budget (USD)").fill("much");
    await page.getByText("Enter an amount such as").waitFor();
    const make = page.getByRole("button", { name: "Create key" });
    expect(await make.getAttribute("aria-disabled")).toBe("true");
    await make.focus();
    await page.getByRole("tooltip", { name: "Enter a name for the key first." }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Name").press("Escape");
    await expect.poll(() => page.getByRole("button", { name: "New key" }).isVisible()).toBe(true);
  });

  it("lists a created key once, even if the list is loaded before the answer arrives", async () => {
    await page.route("**/app/keys", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const listed = page.waitForResponse(
        (response) => response.url().endsWith("/app/keys") && response.request().method() === "GET",
      );
      const answer = await route.fetch();
      await listed;
      await route.fulfill({ response: answer });
    });
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("Twice");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("Twice").first().waitFor();
    await page.getByRole("button", { name: "New key" }).waitFor();
    expect(await page.getByRole("button", { name: "Revoke key Twice" }).count()).toBe(1);
    await page.unroute("**/app/keys");
  });

  it("shows a request when it arrives, and finds it again by filter", async () => {
    await page.getByRole("radio", { name: "Requests" }).click();
    const client = new OpenAI({ baseURL: whole.baseUrl, apiKey: whole.key });
    await (
      await client.audio.speech.create({ model: "tts-1", voice: "nova", input: "Hello there." })
    ).arrayBuffer();
    const row = page.getByRole("row", {
      name: /Speak.*tts-1.*This machine.*Your key.*12 chars.*200/,
    });
    await row.waitFor();
    await page.getByLabel("Only failed").check();
    await page.getByText("No requests match these filters").waitFor();
    await page.getByLabel("Only failed").uncheck();
    await expect.poll(() => row.isVisible()).toBe(true);
  });

  it("counts the request in the usage", async () => {
    await page.getByRole("radio", { name: "Usage" }).click();
    await page.getByRole("row", { name: /^tts-1 1 0/ }).waitFor();
    expect(
      await page.getByRole("img", { name: "Requests per day over the last 30 days" }).isVisible(),
    ).toBe(true);
  });

  it("stops and starts the API while the window keeps working", async () => {
    await page.getByRole("radio", { name: "Address" }).click();
    await page.getByRole("button", { name: "Stop API" }).click();
    await page.getByText("The API is stopped.").waitFor();
    await page.getByText("this works once it runs again").waitFor();
    expect(await page.locator(".server-code pre").textContent()).toContain(whole.baseUrl);
    await expect(fetch(`${whole.baseUrl}/models`)).rejects.toThrow("fetch failed");
    await page.getByRole("button", { name: "Start API" }).click();
    await page.getByRole("button", { name: "Stop API" }).waitFor();
    const shown = (await page.getByRole("definition").first().locator("code").textContent()) ?? "";
    expect(
      (await fetch(`${shown}/models`, { headers: { authorization: `Bearer ${whole.key}` } }))
        .status,
    ).toBe(200);
  });

  it("opens the port for Home Assistant, which closes and opens with the API", async () => {
    await page.getByRole("radio", { name: "Address" }).click();
    await page.getByRole("switch", { name: "Serve Home Assistant" }).click();
    await page.getByText("Fixed when Hearsay was started, by HEARSAY_WYOMING_HOST.").waitFor();
    await page.getByRole("button", { name: "Change port for Home Assistant" }).click();
    await page.getByLabel("Port for Home Assistant").fill(String(wyomingPort));
    await page.keyboard.press("Enter");
    const address = page.getByText(`0.0.0.0:${wyomingPort}`);
    await address.waitFor();
    await page.getByText("without a key. Paid channels are not used.").waitFor();
    await page.getByRole("button", { name: "Stop API" }).click();
    await address.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Start API" }).click();
    await expect.poll(() => address.isVisible()).toBe(true);
  });

  it("moves the API to another port by keyboard, and the port persists", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    const field = page.getByRole("textbox", { name: "Port", exact: true });
    await page.getByRole("button", { name: "Change port", exact: true }).press("Enter");
    await field.fill("70000");
    await page.getByText("Enter a port from 1 to 65535.").waitFor();
    await field.fill(String(port));
    await field.press("Enter");
    await page.getByText(`The port ${port} is in use.`).waitFor();
    expect(page.pageErrors.splice(0)).toEqual([expect.stringContaining("409")]);
    await new Promise((closed) => busy.close(closed));
    await field.press("Enter");
    await page.getByText(`http://127.0.0.1:${port}/v1`, { exact: true }).waitFor();
    expect(
      (
        await fetch(`http://127.0.0.1:${port}/v1/models`, {
          headers: { authorization: `Bearer ${whole.key}` },
        })
      ).status,
    ).toBe(200);
    await expect(fetch(`${whole.baseUrl}/models`)).rejects.toThrow("fetch failed");
  });

  it.skipIf(networkAddresses().length === 0)(
    "shows the podcast feed as a QR code and an address, and makes a new one",
    async () => {
      await page.getByRole("radio", { name: "Podcast" }).click();
      await page.getByRole("switch", { name: "Offer a podcast feed" }).click();
      await page.getByText("until you allow access from the local network").waitFor();
      await page.getByRole("button", { name: "Open Address" }).click();
      await page.getByRole("switch", { name: "Local network" }).click();
      await page.getByText("Other machines can reach it at:").waitFor();
      await page.getByRole("radio", { name: "Podcast" }).click();
      const code = page.getByRole("img", { name: "QR code of the feed’s address" });
      await code.locator("path").waitFor({ state: "attached" });
      const shown = async (): Promise<URL> =>
        new URL((await page.locator(".server-feed code").textContent()) ?? "");
      const former = await shown();
      expect(await (await fetchFeed(former)).text()).toContain("<title>Hearsay</title>");

      await page.getByRole("button", { name: "New address" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "New address" }).click();
      await expect.poll(async () => (await shown()).href).not.toBe(former.href);
      expect((await fetchFeed(former)).status).toBe(404);
      expect((await fetchFeed(await shown())).status).toBe(200);
    },
  );

  it("logged no errors", () => {
    expect(page.pageErrors).toEqual([]);
  });
});
