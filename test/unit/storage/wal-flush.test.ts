// Committed changes are flushed to the disk before they are acknowledged.

import { join } from "node:path";
import { expect, it } from "vitest";
import { hookWrites } from "../../../main/storage/disk.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { openTestLibrary } from "../../support/library.ts";
import { createTestGateway } from "../../support/gateway-server.ts";

const put = "INSERT INTO settings (name, value) VALUES (?, '1')";

async function servingLibrary(failing?: { error?: Error }) {
  const database = openTestLibrary(join(await openTestFolder(), "library.db"));
  database.setServing(true);
  const flushes: string[] = [];
  const unhook = hookWrites((operation) => {
    if (operation !== "datasync") return;
    flushes.push(operation);
    if (failing?.error !== undefined) throw failing.error;
  });
  return {
    database,
    flushes,
    unhook,
    change: (name: string) => database.change(() => database.sqlite.prepare(put).run(name)),
  };
}

it("flushes the log once for all earlier changes, and never without changes", async () => {
  const { database, flushes, unhook, change } = await servingLibrary();
  try {
    await database.flush();
    expect(flushes).toHaveLength(0);
    change("a");
    change("b");
    await Promise.all([database.flush(), database.flush()]);
    expect(flushes).toHaveLength(1);
    change("c");
    await database.flush();
    expect(flushes).toHaveLength(2);
  } finally {
    unhook();
  }
});

it("rejects when the disk fails, and flushes again the next time", async () => {
  const failing: { error?: Error } = {
    error: Object.assign(new Error("i/o error"), { code: "EIO" }),
  };
  const { database, flushes, unhook, change } = await servingLibrary(failing);
  try {
    change("a");
    await expect(database.flush()).rejects.toThrow("i/o error");
    delete failing.error;
    await database.flush();
    expect(flushes).toHaveLength(2);
  } finally {
    unhook();
  }
});

it("acknowledges nothing to the window before it is flushed", async () => {
  const flushed = Promise.withResolvers<void>();
  const { request } = await createTestGateway({ deps: { flushLibrary: () => flushed.promise } });
  let isAnswered = false;
  const answer = request("/app/channels").then((response) => ((isAnswered = true), response));
  const health = await request("/health");
  expect(health.status).toBe(200);
  expect(isAnswered).toBe(false);
  flushed.resolve();
  expect((await answer).status).toBe(200);
});
