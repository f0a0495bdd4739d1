import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { claimOrHandOver } from "../../../main/instance/claim-or-hand-over.ts";
import { AppError } from "../../../main/contract/errors.ts";
import type { HandoverRequest } from "../../../main/instance/messages.ts";
import {
  claimDataFolder,
  identityProof,
  type Ownership,
} from "../../../main/instance/ownership.ts";
import { hookWrites } from "../../../main/storage/disk.ts";
import { neverAborted } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

const nothing: HandoverRequest = { paths: [], wantsWindow: false };
const impatient = { silenceTimeoutMs: 0, unreachableTimeoutMs: 0 };

async function owned(dataDir: string): Promise<Ownership> {
  const claim = await claimOrHandOver(dataDir, nothing, neverAborted());
  if (claim.type !== "owner") throw new Error(`the folder is not free: ${claim.type}`);
  onTestFinished(claim.ownership.release);
  return claim.ownership;
}

it("claims a folder without an owner, and hands over to an existing owner", async () => {
  const dataDir = await openTestFolder();
  const ownership = await owned(dataDir);
  const requests: HandoverRequest[] = [];
  const { sent } = new AppError("file.unreadable", { name: "a.mp3" });
  const refused = [{ path: "/a.mp3", ...sent }];
  await ownership.serve(async (request) => {
    requests.push(request);
    return { baseUrl: "http://127.0.0.1:1/v1", refused };
  });
  const request = { paths: ["/a.mp3"], wantsWindow: true };
  expect(await claimOrHandOver(dataDir, request, neverAborted())).toEqual({
    type: "answered",
    answer: { baseUrl: "http://127.0.0.1:1/v1", refused },
  });
  expect(requests).toEqual([request]);
});

it("stores the secret readable only by its owner, and rejects callers without it", async () => {
  const dataDir = await openTestFolder();
  await (await owned(dataDir)).serve(async () => ({ refused: [] }));
  const path = join(dataDir, "running.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { address, secret } = JSON.parse(readFileSync(path, "utf8")) as {
    address: string;
    secret: string;
  };
  const open = (key: string) =>
    fetch(new URL("/open", address), {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(nothing),
    });
  expect([(await open("other")).status, (await open(secret)).status]).toEqual([401, 200]);
});

it("does not reveal the secret to another program that listens at the address", async () => {
  const dataDir = await openTestFolder();
  await owned(dataDir);
  const seen: string[] = [];
  const stranger = createServer(({ url = "", headers }, response) => {
    seen.push(`${url} ${JSON.stringify(headers)}`);
    response.end('{"proof":"none"}');
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void stranger.close());
  await once(stranger, "listening");
  writeFileSync(
    join(dataDir, "running.json"),
    JSON.stringify({
      address: `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`,
      secret: "very-secret",
    }),
  );
  expect(await claimOrHandOver(dataDir, nothing, neverAborted(), impatient)).toEqual({
    type: "unreachable",
  });
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toContain("very-secret");
});

it("changes nothing where the owner cannot be reached", async () => {
  const dataDir = await openTestFolder();
  await owned(dataDir);
  const before = readdirSync(dataDir);
  expect(await claimOrHandOver(dataDir, nothing, neverAborted(), impatient)).toEqual({
    type: "unreachable",
  });
  expect(readdirSync(dataDir)).toEqual(before);
});

it("takes over from an owner that was killed and whose address is no longer in use", async () => {
  const dataDir = await openTestFolder();
  const module = join(import.meta.dirname, "..", "..", "support", "owner-child.ts");
  const child = fork(module, [dataDir]);
  await once(child, "message");
  expect(claimDataFolder(dataDir)).toBeUndefined();
  child.kill("SIGKILL");
  await once(child, "exit");
  await owned(dataDir);
  expect(readdirSync(dataDir)).not.toContain("running.json");
});

it("waits for an owner that is about to end", async () => {
  const dataDir = await openTestFolder();
  const ending = await owned(dataDir);
  await ending.serve(async () => ({ refused: [] }));
  void ending.retire();
  const claim = claimOrHandOver(dataDir, nothing, neverAborted());
  ending.release();
  const { type, ...rest } = await claim;
  expect(type).toBe("owner");
  if ("ownership" in rest) rest.ownership.release();
});

it("reports why the owner could not handle the request", async () => {
  const dataDir = await openTestFolder();
  await (await owned(dataDir)).serve(() => Promise.reject(new Error("the disk is full")));
  await expect(claimOrHandOver(dataDir, nothing, neverAborted())).rejects.toThrow(
    "the disk is full",
  );
});

it("waits for an owner that responds later than the timeout of `fetch`", async () => {
  const usual = getGlobalDispatcher();
  // Five minutes; shorter for this test.
  setGlobalDispatcher(new Agent({ headersTimeout: 100, bodyTimeout: 100 }));
  onTestFinished(() => setGlobalDispatcher(usual));
  const dataDir = await openTestFolder();
  let times = 0;
  await (
    await owned(dataDir)
  ).serve(async () => {
    times += 1;
    await pause(3000);
    return { refused: [] };
  });
  expect(await claimOrHandOver(dataDir, nothing, neverAborted())).toEqual({
    type: "answered",
    answer: { refused: [] },
  });
  expect(times).toBe(1);
});

it("gives up on an owner that stops responding after it got the request", async () => {
  const dataDir = await openTestFolder();
  await owned(dataDir);
  const secret = "very-secret";
  const seen: string[] = [];
  // It keeps every connection open, like a stopped process.
  const stopping = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://owner");
    if (!seen.includes("/open") && pathname === "/identity")
      response.end(
        JSON.stringify({ proof: identityProof(secret, searchParams.get("nonce") ?? "") }),
      );
    seen.push(pathname);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    stopping.closeAllConnections();
    stopping.close();
  });
  await once(stopping, "listening");
  writeFileSync(
    join(dataDir, "running.json"),
    JSON.stringify({
      address: `http://127.0.0.1:${(stopping.address() as AddressInfo).port}`,
      secret,
    }),
  );
  expect(
    await claimOrHandOver(dataDir, nothing, neverAborted(), {
      silenceTimeoutMs: 100,
      unreachableTimeoutMs: 0,
    }),
  ).toEqual({ type: "unreachable" });
  expect(seen).toEqual(["/identity", "/open", "/identity"]);
});

it("claims a folder on a full disk, and can be found once there is space", async () => {
  const dataDir = await openTestFolder();
  const isFull = hookWrites((operation) => {
    // The folder exists already.
    if (operation !== "mkdir")
      throw Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
  });
  onTestFinished(isFull);
  const warned: string[] = [];
  const ownership = await owned(dataDir);
  await ownership.serve(
    async () => ({ refused: [] }),
    (text) => void warned.push(text),
  );
  expect(warned).toEqual([expect.stringContaining("Until the data folder can be written to")]);
  expect(await claimOrHandOver(dataDir, nothing, neverAborted(), impatient)).toEqual({
    type: "unreachable",
  });
  isFull();
  expect(await claimOrHandOver(dataDir, nothing, neverAborted())).toEqual({
    type: "answered",
    answer: { refused: [] },
  });
});
