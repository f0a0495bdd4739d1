import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ModelDownload } from "../../../../main/contract/model-downloads.ts";
import type { DownloadCommand } from "../../../support/download-child.ts";
import { hashesOf, stallAfter } from "../../../support/fake-hub.ts";
import {
  contentOf,
  graph,
  openDownloads,
  openHub,
  silero,
  sileroHashes,
} from "../../../support/model-downloads.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const arrivedBytes = 600_000;

it("goes on after kill -9 without fetching again what had arrived", async () => {
  const hub = await openHub();
  hub.setFault(graph, stallAfter(arrivedBytes));
  const folder = await openTestFolder();
  const module = join(import.meta.dirname, "..", "..", "..", "support", "download-child.ts");
  const child = fork(module, [], { execArgv: [] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.send({ entry: silero(), baseUrl: hub.baseUrl, folder } satisfies DownloadCommand);
  for (let doneBytes = 0; doneBytes < arrivedBytes;)
    [{ doneBytes }] = (await once(child, "message")) as [ModelDownload];
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;

  hub.setFault(graph, undefined);
  hub.requests.length = 0;
  const downloads = await openDownloads([hub], { folder });
  const done = downloads.reached("done");
  await downloads.restore();
  await done;
  expect(hub.sentBytes(graph)).toBe(contentOf(graph).length - arrivedBytes);
  expect(await hashesOf(join(folder, "silero"))).toEqual(sileroHashes);
});
