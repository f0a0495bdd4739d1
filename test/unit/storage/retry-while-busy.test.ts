import { expect, it } from "vitest";
import { toStorageError } from "../../../main/contract/errors.ts";
import { retryWhileBusy } from "../../../main/storage/retry-while-busy.ts";

const sqliteError = (errcode: number): Error =>
  Object.assign(new Error(`SQLite error ${errcode}`), { code: "ERR_SQLITE_ERROR", errcode });
const systemError = (code: string): Error =>
  Object.assign(new Error(`system error ${code}`), { code });

it.each([
  [sqliteError(5), "storage_busy", 503],
  [sqliteError(261), "storage_busy", 503],
  [sqliteError(8), "storage_unavailable", 503],
  [sqliteError(778), "storage_unavailable", 503],
  [sqliteError(4874), "storage_full", 507],
  [sqliteError(13), "storage_full", 507],
  [systemError("ENOSPC"), "storage_full", 507],
  [systemError("EFBIG"), "storage_full", 507],
  [systemError("ESTALE"), "storage_unavailable", 503],
  [systemError("ENOTCONN"), "storage_unavailable", 503],
  [systemError("EROFS"), "storage_unavailable", 503],
  [systemError("EMFILE"), "storage_unavailable", 503],
])("maps a failure to its storage error: %s", (error, key, status) => {
  expect(toStorageError(error)).toMatchObject({ key, row: { status } });
  expect(toStorageError(toStorageError(error))?.key).toBe(key);
});

it("maps no other failure to a storage error", () => {
  for (const other of [
    sqliteError(1),
    sqliteError(19),
    systemError("ENOENT"),
    systemError("EACCES"),
    new Error("a mistake"),
    "text",
    undefined,
  ])
    expect(toStorageError(other)).toBeUndefined();
});

it("retries only while the library is busy", async () => {
  let failures = 3;
  expect(
    await retryWhileBusy(() => (failures-- > 0 ? Promise.reject(sqliteError(5)) : "done")),
  ).toBe("done");
  let tries = 0;
  const fail = (error: Error) => () => {
    tries += 1;
    throw error;
  };
  await expect(retryWhileBusy(fail(systemError("ENOSPC")))).rejects.toMatchObject({
    code: "ENOSPC",
  });
  expect(tries).toBe(1);
});

const busy = () => Promise.reject(sqliteError(5));

it("gives up in the end, and when the caller has disconnected", async () => {
  await expect(retryWhileBusy(busy, { timeoutMs: 50 })).rejects.toMatchObject({ errcode: 5 });
  const left = new AbortController();
  const waiting = retryWhileBusy(busy, { signal: left.signal, timeoutMs: 600_000 });
  left.abort();
  await expect(waiting).rejects.toMatchObject({ errcode: 5 });
});
