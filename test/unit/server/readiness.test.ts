import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LibraryHealth } from "../../../main/contract/library-state.ts";
import { createReadiness } from "../../../main/server/readiness.ts";
import { createTempFolder } from "../../../main/storage/temp-folder.ts";
import { createTestGateway } from "../../support/gateway-server.ts";
import { openTestFolder } from "../../support/test-data.ts";

const waitMs = 60_000;

it("creates a missing folder again and reports that all checks pass", async () => {
  const dataDir = await openTestFolder();
  const temp = createTempFolder(dataDir);
  const { check } = createReadiness({ tempDir: temp.path, libraryHealth: () => "ok" });
  rmSync(join(dataDir, "tmp"), { recursive: true });
  expect(await check(waitMs)).toEqual({
    isReady: true,
    isHealthy: true,
    checks: { storage: "ok", temporaryFiles: "ok", library: "ok" },
  });
  expect(existsSync(join(dataDir, "tmp"))).toBe(true);
});

it("reports what is wrong, and checks the disk at most once a second", async () => {
  let nowMs = 0;
  let library: LibraryHealth = "ok";
  let failure: string | undefined = "ENOSPC";
  let looks = 0;
  const dataDir = await openTestFolder();
  const tempDir = (): string => {
    looks += 1;
    if (failure !== undefined) throw Object.assign(new Error("no"), { code: failure });
    return dataDir;
  };
  const { check } = createReadiness({ tempDir, libraryHealth: () => library, now: () => nowMs });
  const storage = async (): Promise<string> => (await check(waitMs)).checks.storage;
  expect([await storage(), await storage(), looks]).toEqual(["full", "full", 1]);
  nowMs += 1000;
  failure = "EROFS";
  expect(await check(waitMs)).toMatchObject({
    isReady: false,
    isHealthy: false,
    checks: { storage: "read-only", temporaryFiles: "failing" },
  });
  nowMs += 1000;
  failure = undefined;
  expect(await check(waitMs)).toMatchObject({ isReady: true, isHealthy: true });
  library = "damaged";
  expect(await check(waitMs)).toMatchObject({ isReady: true, isHealthy: false });
  library = "unavailable";
  expect(await check(waitMs)).toMatchObject({ isReady: false, isHealthy: false });
});

it("is reported without a key: /health responds, /readyz fails, /app says why, and the owner is served", async () => {
  const readiness = createReadiness({
    tempDir: () => "/nonexistent/folder",
    libraryHealth: () => "unavailable",
  });
  const { request } = await createTestGateway({
    deps: { readiness, isLibraryUnavailable: () => true },
  });
  await readiness.check(waitMs);
  const [health, ready] = [await request("/health"), await request("/readyz")];
  const checks = { storage: "failing", temporaryFiles: "failing", library: "unavailable" };
  expect([health.status, await health.json()]).toEqual([200, { status: "degraded", checks }]);
  expect([ready.status, await ready.json()]).toEqual([503, { status: "not ready", checks }]);
  const refused = await request("/app/keys");
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { error: { code: "library_unavailable" } },
  ]);
  expect((await request("/v1/models")).status).toBe(200);
});
