// Getting models from a hub on loopback, by hand and from a transcript; importing and removing them; defaults.

import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Item } from "../../../main/contract/library-item.ts";
import type { CatalogEntry } from "../../../main/contract/models.ts";
import { catalog } from "../../../main/models/catalog.ts";
import { sizeOfFiles } from "../../../main/contract/model-size.ts";
import { shippedCatalog } from "../../../main/models/catalog/shipped.ts";
import { shippedWeightsDir } from "../../../main/models/shipped-models.ts";
import {
  openAppWithWindow,
  type AppWithWindow,
  type WatchedPage,
} from "../../support/app-with-window.ts";
import { chromiumPath } from "../../support/browser.ts";
import {
  type FakeHub,
  readFiles,
  respondStatus,
  sha256,
  stallAfter,
  startHub,
  testRevision,
} from "../../support/fake-hub.ts";
import { waitUntilSettled } from "../../support/pages.ts";
import { openFolder, synthesizeSamples, writeAudioFile } from "../../support/test-data.ts";

const none = chromiumPath === undefined;
const encoder = "encoder_model_any_length.onnx";
const weightsDir = join(shippedWeightsDir, "whisper-base");
let hub: FakeHub;
let whole: AppWithWindow;
/** The files of a model of the catalog that differs from the shipped one. */
let mineDir: string;
let folder: Awaited<ReturnType<typeof openFolder>>;

/** The files of whisper-base, as a model that knows French better than any other. */
function frenchModel(id: string, name: string): CatalogEntry {
  const base = shippedCatalog.find((entry) => entry.id === "whisper-base") as CatalogEntry;
  const errorRate = {
    rate: 0.01,
    unit: "words",
    // That of the catalog, within which rates are compared.
    testSet: "FLEURS, transcribe.cpp",
    url: "https://example.com",
  } as const;
  return {
    ...base,
    id,
    name,
    languages: [{ code: "en" }, { code: "fr", errorRate }],
    sources: [{ repository: `someone/${id}`, revision: testRevision }],
  };
}
const better = frenchModel("whisper-better", "Whisper better");
const restricted: CatalogEntry = {
  ...frenchModel("whisper-restricted", "Whisper restricted"),
  languages: [{ code: "fr" }],
  licence: { name: "Not for profit", url: "https://example.com/licence", mustBeAccepted: true },
};
const gated = frenchModel("whisper-gated", "Whisper gated");
const shippedCount = catalog.length;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  const files = await readFiles(weightsDir);
  hub = await startHub({
    [`someone/${better.id}`]: { files },
    [`someone/${restricted.id}`]: { files },
    [`someone/${gated.id}`]: { files, token: "hf_of_the_window" },
  });
  // The same files as those of a model that is here would not be imported again.
  const config = "generation_config.json";
  const changed = Buffer.concat([files[config] as Buffer, Buffer.from("\n")]);
  const mine: CatalogEntry = {
    ...better,
    id: "whisper-mine",
    name: "Whisper mine",
    languages: [{ code: "en" }, { code: "fr" }],
    files: better.files.map((file) =>
      file.name === config
        ? { name: config, sizeBytes: changed.length, sha256: sha256(changed) }
        : file,
    ),
  };
  mineDir = join(folder.path, "whisper-mine");
  await cp(weightsDir, mineDir, { recursive: true });
  await writeFile(join(mineDir, config), changed);
  await writeFile(join(mineDir, "onnx", "encoder_model_fp16.onnx"), Buffer.alloc(9e6));
  (catalog as CatalogEntry[]).push(better, restricted, gated, mine);
  whole = await openAppWithWindow({ environment: { HF_ENDPOINT: hub.baseUrl } });
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  (catalog as CatalogEntry[]).length = shippedCount;
  await hub?.close();
  await folder?.remove();
});

async function opened(path: string): Promise<WatchedPage> {
  const page = await whole.open({ path });
  await waitUntilSettled(page);
  return page;
}

async function upload(text: string, language: string): Promise<Item> {
  const path = await writeAudioFile(join(folder.path, "talk.wav"), await synthesizeSamples(text));
  const options = encodeURIComponent(JSON.stringify({ model: "whisper-base", language }));
  const response = await whole.send(`/app/uploads?name=talk.wav&options=${options}`, {
    method: "POST",
    body: await readFile(path),
  });
  return whole.waitUntilFinished(((await response.json()) as Item).id);
}

describe.skipIf(none)("getting models (needs Chromium)", () => {
  // The better model has the weights of the shipped one, and English is taken for French so that both differ: this
  // tests the steps, not how much better a model is.
  it("takes four clicks from a transcript to that of a better model", async () => {
    const { id } = await upload("Good morning. The yellow lemons roll down the street.", "fr");
    const before = (await whole.call("readDocument", {}, id)).segments;
    const page = await opened(`/transcribe/${id}`);
    await page.evaluate(() =>
      document.addEventListener("click", () => performance.mark("click"), { capture: true }),
    );
    await page.getByRole("link", { name: /odel.* for French/ }).click();
    await page
      .getByRole("region", { name: /Recommended/ })
      .getByRole("button", { name: `Get ${better.name}` })
      .click();
    await page.getByRole("button", { name: "Transcribe again with it" }).first().click();
    await page.getByRole("button", { name: "Use this" }).click();
    await expect
      .poll(async () => (await whole.call("readDocument", {}, id)).segments)
      .not.toEqual(before);
    expect(await page.evaluate(() => performance.getEntriesByName("click").length)).toBe(4);
    const { sums } = await whole.call("readUsage", { by: "model" });
    expect(sums).toContainEqual(expect.objectContaining({ group: better.id, failed: 0 }));
    await page
      .getByRole("article")
      .getByText(/lemons/i)
      .first()
      .waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("asks for a licence, pauses, goes on, says why it failed, and cancels", async () => {
    hub.setFault(encoder, stallAfter(5_000_000));
    const page = await opened("/models?language=fr");
    await page
      .getByRole("row")
      .getByRole("button", { name: `Get ${restricted.name}` })
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Not for profit").waitFor();
    expect((await whole.call("listDownloads")).downloads).toEqual([]);
    await dialog.getByRole("button", { name: "Accept and get" }).click();
    const row = page.getByRole("article", { name: restricted.name });
    await row.getByText(/\d\.\d MB of 81\.4 MB/).waitFor();
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("paused").waitFor();
    hub.setFault(encoder, respondStatus(403));
    await row.getByRole("button", { name: "Resume" }).click();
    await row
      .getByRole("alert")
      .getByText(/refused the download with status 403/)
      .waitFor();
    await row.getByRole("button", { name: "Import a file instead…" }).waitFor();
    await row.getByRole("button", { name: "Cancel" }).click();
    await row.waitFor({ state: "detached" });
    hub.setFault(encoder, undefined);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("says what to do about terms to accept, and keeps the access token to itself", async () => {
    hub.setFault(encoder, stallAfter(5_000_000));
    const page = await opened("/models?language=fr");
    await page
      .getByRole("row")
      .getByRole("button", { name: `Get ${gated.name}` })
      .click();
    const row = page.getByRole("article", { name: gated.name });
    await row
      .getByRole("alert")
      .getByText(/accept them at .*someone\/whisper-gated.* enter it on the Models page/)
      .waitFor();
    await row.getByRole("button", { name: "Enter a token…" }).click();
    const field = page.getByLabel(/^Access token for 127\.0\.0\.1/);
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type("hf_of_the_window");
    await page.keyboard.press("Enter");
    const remove = page.getByRole("button", { name: "Remove saved token" });
    await remove.waitFor();
    expect(await field.inputValue()).toBe("");
    const stored = await whole.send("/app/model-hub");
    expect(await stored.json()).toEqual({ host: new URL(hub.baseUrl).host, token: "stored" });
    await row.getByRole("button", { name: "Try again" }).click();
    await row.getByText(/\d\.\d MB of 81\.4 MB/).waitFor();
    await row.getByRole("button", { name: "Cancel" }).click();
    await row.waitFor({ state: "detached" });
    await remove.click();
    await remove.waitFor({ state: "detached" });
    expect((await whole.call("readModelHub")).token).toBe("none");
    hub.setFault(encoder, undefined);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("imports a folder, makes it the default for a language, and removes it", async () => {
    const page = await opened("/models");
    const sending = page.waitForRequest((request) => request.url().includes("/models/import?"));
    for (const text of [/^(Copying|Checking)/, /is still being imported/]) {
      await page.locator("input[webkitdirectory]").setInputFiles(mineDir);
      await page.getByText(text).waitFor();
    }
    await page.getByText("is on this machine now").waitFor();
    // Without the other precision.
    const sentBytes = Number((await (await sending).allHeaders())["content-length"]);
    expect(sentBytes - sizeOfFiles(better.files)).toBeGreaterThan(0);
    expect(sentBytes - sizeOfFiles(better.files)).toBeLessThan(1e6);
    const { models } = await whole.call("listModels");
    const imported = models.find(({ origin }) => origin === "imported");
    const name = imported?.name ?? "";

    await page.getByRole("radio", { name: "Defaults" }).click();
    await page.getByLabel("Add a language to Automatic transcription").selectOption("French");
    await page.getByLabel("Automatic transcription: French").selectOption(name);
    await expect
      .poll(async () => (await whole.call("listModels")).defaults.transcribe["fr"])
      .toBe(imported?.id);

    await page.getByRole("radio", { name: "All models" }).click();
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/takes over for .*French/).waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    // It can be had again, from the catalog.
    await page
      .getByRole("row")
      .getByRole("button", { name: `Get ${name}` })
      .waitFor();
    expect((await whole.call("listModels")).defaults.transcribe["fr"]).not.toBe(imported?.id);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("refuses a folder that is no model before it is sent", async () => {
    const holiday = join(folder.path, "holiday");
    await mkdir(holiday);
    await writeFile(join(holiday, "film.mp4"), Buffer.alloc(1000));
    const page = await opened("/models");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(new URL(request.url()).pathname));
    await page.locator("input[webkitdirectory]").setInputFiles(holiday);
    await page
      .getByRole("alert")
      .getByText(/fit no kind of model/)
      .waitFor();
    // Below the window's own base path.
    expect(sent.flatMap((path) => /\/app\/models\/import.*$/.exec(path) ?? [])).toEqual([
      "/app/models/import/check",
    ]);
    await page.context().close();
  });

  it("explains what a repository that does not exist is about", async () => {
    const page = await whole.open({ path: "/models", heightPx: 400 });
    await page.getByLabel("Repository").fill("nobody/nothing");
    await page.getByLabel("Repository").press("Enter");
    const error = page.getByRole("alert").getByText(/has no public repository nobody\/nothing/);
    // The field is far below.
    await expect
      .poll(() => error.evaluate((each) => innerHeight - each.getBoundingClientRect().bottom))
      .toBeGreaterThan(0);
    expect((await whole.call("listDownloads")).downloads).toEqual([]);
    await page.context().close();
  });
});
