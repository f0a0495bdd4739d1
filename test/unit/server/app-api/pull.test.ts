import { expect, it } from "vitest";
import type { ModelDownload } from "../../../../main/contract/model-downloads.ts";
import type { AppEvent } from "../../../../main/contract/app-event.ts";
import { pullUpdates } from "../../../../main/server/app-api/model-files.ts";
import { respondStatus, stallAfter } from "../../../support/fake-hub.ts";
import { graph, openDownloads, openHub } from "../../../support/model-downloads.ts";

async function setUp() {
  const hub = await openHub();
  const listeners = new Set<(event: AppEvent) => void>();
  const downloads = await openDownloads([hub], {
    onChange(download) {
      for (const listener of listeners) listener({ type: "model-download", download });
    },
  });
  const stop = new AbortController();
  const updates = pullUpdates(
    {
      downloads,
      onEvent(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    { id: "silero", revision: "main", acceptLicence: false },
    stop.signal,
  );
  return { hub, downloads, updates, stop, listeners };
}

it("yields the progress until the model is installed", async () => {
  const { updates, downloads, listeners } = await setUp();
  const states: ModelDownload["state"][] = [];
  for await (const { state } of updates) states.push(state);
  expect(states.at(-1)).toBe("done");
  expect([...downloads.installed.keys()]).toEqual(["silero"]);
  expect(listeners.size).toBe(0);
});

it("throws the reason of a failure", async () => {
  const { hub, updates } = await setUp();
  hub.setFault(graph, respondStatus(403));
  await expect(async () => {
    for await (const { state } of updates) expect(state).not.toBe("done");
  }).rejects.toMatchObject({
    sent: { id: "download.refused" },
  });
});

it("pauses the download when nobody reads the progress anymore", async () => {
  const { hub, downloads, updates, stop } = await setUp();
  hub.setFault(graph, stallAfter(500_000));
  await expect(async () => {
    for await (const { doneBytes } of updates) if (doneBytes >= 500_000) stop.abort();
  }).rejects.toThrow(/abort/i);
  expect(downloads.list()).toMatchObject([{ state: "paused" }]);
});
