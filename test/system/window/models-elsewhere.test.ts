// Models that are not of the catalog, of repositories, files and channels: their voices speak once they are pulled, and
// damaged ones are got again.

import { cp, mkdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelStore } from "../../../main/models/model-store.ts";
import { quietLog } from "../../support/app.ts";
import {
  openAppWithWindow,
  type AppWithWindow,
  type WatchedPage,
} from "../../support/app-with-window.ts";
import { chromiumPath } from "../../support/browser.ts";
import { dropFiles } from "../../support/drop-files.ts";
import { type FakeHub, readFiles, startHub, testRevision } from "../../support/fake-hub.ts";
import { waitUntilSettled } from "../../support/pages.ts";
import { openFolder } from "../../support/test-data.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import { writeKitten } from "../../support/tiny-sherpa-voices.ts";

const none = chromiumPath === undefined;
const repository = "someone/tiny-kitten";
let hub: FakeHub;
let whole: AppWithWindow;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  if (none) return;
  folder = await openFolder();
  const voiceDir = join(folder.path, "voice");
  const voice = writeKitten(voiceDir, ["expr-voice-2-m", "expr-voice-2-f"]);
  // Other files: those of a model that is here would not be imported again.
  writeKitten(join(folder.path, "dropped-voice"), ["expr-voice-3-m"]);
  hub = await startHub({
    [repository]: { files: await readFiles(voiceDir), cardData: { license: "mit" } },
  });
  whole = await openAppWithWindow({
    environment: { HF_ENDPOINT: hub.baseUrl },
    async prepare(dataDir) {
      const store = createModelStore({ dataDir, log: quietLog });
      const install = async (id: string, origin: "downloaded" | "imported") => {
        const incoming = join(store.incomingDir, id);
        await mkdir(store.incomingDir, { recursive: true });
        await cp(voiceDir, incoming, { recursive: true });
        const sources = origin === "downloaded" ? [{ repository, revision: testRevision }] : [];
        const { dir } = await store.install({ ...voice, id, name: id, sources }, incoming, origin);
        await truncate(join(dir, "voices.bin"), 1000);
      };
      await install("damaged-pulled", "downloaded");
      await install("damaged-imported", "imported");
    },
  });
  await whole.call("changePreferences", { hasSeenWelcome: true });
}, 180_000);
afterAll(async () => {
  await whole?.close();
  await hub?.close();
  await folder?.remove();
});

async function opened(path: string): Promise<WatchedPage> {
  const page = await whole.open({ path });
  await waitUntilSettled(page);
  return page;
}

const stateOf = async (id: string): Promise<string | undefined> =>
  (await whole.call("listModels")).models.find((model) => model.id === id)?.state;

describe.skipIf(none)("models that are not of the catalog (needs Chromium)", () => {
  it("speak with each of their voices", async () => {
    const page = await opened("/models");
    await page.getByLabel("Repository").fill(repository);
    await page.getByLabel("Repository").press("Enter");
    await expect.poll(() => stateOf("someone--tiny-kitten")).toBe("ready");
    const item = await whole.call("createNarration", {
      title: "The Harbour",
      script: "The harbour was quiet that morning.",
      options: { model: "tts-1-hd", voice: "nova", speed: 1 },
    });
    await page.goto(`${whole.pageUrl}#/narrate/${item.id}`);
    const voices = page.getByRole("group", { name: "Voice", exact: true });
    const speech = page.waitForResponse(/\/v1\/audio\/speech/);
    await page.getByRole("group", { name: "Chosen voice" }).click();
    await voices.getByRole("button", { name: "Expr-voice-2-f Woman" }).hover();
    const answer = await speech;
    expect([answer.status(), answer.request().postDataJSON()]).toMatchObject([
      200,
      { voice: "expr-voice-2-f" },
    ]);
    expect(await answer.headerValue("x-hearsay-voice")).toBeNull();
    await voices.getByRole("button", { name: "Expr-voice-2-f Woman" }).click();
    await expect
      .poll(async () => (await whole.call("readNarration", {}, item.id)).options.voice)
      .toBe("expr-voice-2-f");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("are imported where they belong when a folder is dropped on another page", async () => {
    const page = await opened("/narrate");
    await dropFiles(page, [join(folder.path, "dropped-voice")]);
    await page.getByText(/“dropped-voice” cannot be used here/).waitFor();
    await page.getByRole("button", { name: "Open in Models" }).click();
    await expect.poll(() => stateOf("dropped-voice")).toBe("ready");
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("are listed while their channel is down, and shown as such", async () => {
    const upstream = await startUpstream(json({ data: [{ id: "whisper-cloud" }] }));
    const { id } = await whole.call("addChannel", {
      name: "Cloud",
      baseUrl: upstream.baseUrl,
      prefix: "cloud",
    });
    const page = await opened("/models");
    const row = page.getByRole("row").filter({ hasText: "whisper-cloud" });
    await row.getByText("Cloud", { exact: true }).waitFor();
    expect(await row.getByText("Not reachable now").count()).toBe(0);
    upstream.setBehaviour(json({}, 503));
    await whole.call("testChannel", {}, id);
    await row.getByText("Not reachable now").waitFor();
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });

  it("are downloaded again when they are damaged, or imported again", async () => {
    const page = await opened("/models?task=speak");
    expect([await stateOf("damaged-pulled"), await stateOf("damaged-imported")]).toEqual([
      "damaged",
      "damaged",
    ]);
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("damaged-pulled").getByText("Damaged", { exact: true }).waitFor();
    await row("damaged-pulled").getByRole("button", { name: "Get damaged-pulled" }).click();
    await expect.poll(() => stateOf("damaged-pulled")).toBe("ready");

    const chooser = page.waitForEvent("filechooser");
    await row("damaged-imported").getByRole("button", { name: "Import again…" }).click();
    await (await chooser).setFiles([]);
    expect(await row("damaged-imported").getByRole("button", { name: "Get" }).count()).toBe(0);
    expect(page.pageErrors).toEqual([]);
    await page.context().close();
  });
});
