import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type NewApiKey, newApiKey, scopes } from "../../../../main/contract/usage.ts";
import { createApiKeys } from "../../../../main/storage/settings/api-keys.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const opened = (dataDir: string, externalKey?: string) =>
  createApiKeys({ dataDir, externalKey, database: openTestLibrary() });
const fresh = async () => opened(await openTestFolder(), "hs-owner");
const input = (name: string, more: Partial<NewApiKey> = {}): NewApiKey => ({
  ...newApiKey.parse({ name }),
  ...more,
});

it("generates the owner’s key at the first run from 32 random bytes, and stores it", async () => {
  const dataDir = await openTestFolder();
  const first = await opened(dataDir);
  expect(first.key).toMatch(/^hs-[\w-]{43}$/);
  expect((await opened(dataDir)).key).toBe(first.key);
  expect((await readFile(join(dataDir, "api-key"), "utf8")).trim()).toBe(first.key);
  expect(await readdir(dataDir)).toEqual(["api-key"]);
  expect((await opened(await openTestFolder())).key).not.toBe(first.key);
});

it("reports the file of the key, and whether the key is too short", async () => {
  const dataDir = await openTestFolder();
  expect(await opened(dataDir)).toMatchObject({ file: join(dataDir, "api-key"), isShort: false });
  expect(await opened(dataDir, "fifteen-letters")).toMatchObject({
    file: undefined,
    isShort: true,
  });
  expect(await opened(dataDir, "sixteen-letters!")).toMatchObject({
    file: undefined,
    isShort: false,
  });
});

it.skipIf(process.platform === "win32")(
  "makes the file accessible only to its owner, also if it was open before",
  async () => {
    const dataDir = await openTestFolder();
    const path = join(dataDir, "api-key");
    const { key } = await opened(dataDir);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    expect((await opened(dataDir)).key).toBe(key);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  },
);

it("uses a key from the environment or a flag without storing it", async () => {
  const dataDir = await openTestFolder();
  expect((await opened(dataDir, " hs-given\n")).key).toBe("hs-given");
  expect(await readdir(dataDir)).toEqual([]);
  expect((await opened(dataDir, " ")).key).toMatch(/^hs-[\w-]{43}$/);
});

it("generates one key when several processes start at once", async () => {
  const dataDir = await openTestFolder();
  const keys = await Promise.all(Array.from({ length: 8 }, () => opened(dataDir)));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
  expect((await readFile(join(dataDir, "api-key"), "utf8")).trim()).toBe(keys[0]?.key);
  expect(await readdir(dataDir)).toEqual(["api-key"]);
});

it("generates a new key for an empty file", async () => {
  const dataDir = await openTestFolder();
  await writeFile(join(dataDir, "api-key"), "\n");
  const { key } = await opened(dataDir);
  expect(key).toMatch(/^hs-/);
  expect((await opened(dataDir)).key).toBe(key);
});

it("accepts the owner’s key only when it matches completely", async () => {
  const { key, verify } = await opened(await openTestFolder(), "own-kéy");
  expect(verify(key)).toEqual({
    id: "owner",
    name: "owner",
    isOwner: true,
    scopes,
    budgetCountsLocal: false,
  });
  for (const wrong of [
    "",
    "own-ké",
    "own-kéyy",
    "own-kéy\0",
    "own-key",
    "OWN-KÉY",
    "x".repeat(300),
    `own-kéy${"\0".repeat(300)}`,
  ])
    expect(verify(wrong)).toBeUndefined();
  const long = "x".repeat(5000);
  const keys = await opened(await openTestFolder(), long);
  expect([long, long.slice(1)].map((presented) => keys.verify(presented)?.isOwner)).toEqual([
    true,
    undefined,
  ]);
});

it("creates keys for others, returns their secrets once and stores only digests", async () => {
  const dataDir = await openTestFolder();
  const path = join(dataDir, "library.db");
  const database = openTestLibrary(path);
  const keys = await createApiKeys({ dataDir, externalKey: "hs-owner", database });
  const { secret, ...made } = keys.create(
    input("Phone", { scopes: ["transcribe"], monthlyBudgetUsd: 2.5, budgetCountsLocal: true }),
  );
  const { secret: plain, ...other } = keys.create(input("Laptop"));
  expect(secret).toMatch(/^hs-[\w-]{43}$/);
  expect(made).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{16}$/) as string,
    name: "Phone",
    hint: secret.slice(0, 7),
    scopes: ["transcribe"],
    monthlyBudgetUsd: 2.5,
    budgetCountsLocal: true,
    createdAtMs: expect.any(Number) as number,
  });
  expect(other).toMatchObject({ scopes, budgetCountsLocal: false });
  expect(keys.list()).toEqual([made, other]);
  expect(keys.verify(secret)).toEqual({
    id: made.id,
    name: "Phone",
    isOwner: false,
    scopes: ["transcribe"],
    monthlyBudgetUsd: 2.5,
    budgetCountsLocal: true,
  });
  expect(keys.verify(plain)).toEqual({
    id: other.id,
    name: "Laptop",
    isOwner: false,
    scopes,
    budgetCountsLocal: false,
  });
  expect(keys.verify(`${secret} `)).toBeUndefined();
  expect(keys.verify(made.hint)).toBeUndefined();
  database.close();
  for (const name of await readdir(dataDir))
    expect((await readFile(join(dataDir, name))).includes(secret.slice(7))).toBe(false);
});

it("accepts the former names of scopes, in requests and in keys of earlier versions", async () => {
  const dataDir = await openTestFolder();
  const database = openTestLibrary(join(dataDir, "library.db"));
  const keys = await createApiKeys({ dataDir, database });
  expect(newApiKey.parse({ name: "a", scopes: ["hear", "speak", "models"] }).scopes).toEqual(
    scopes,
  );
  const { id } = keys.create(input("Phone", { scopes: ["transcribe"] }));
  database.sqlite
    .prepare("UPDATE api_keys SET scopes = ? WHERE id = ?")
    .run('["hear","speak"]', id);
  expect(keys.list()[0]?.scopes).toEqual(["transcribe", "speech"]);
});

it("accepts a name once, ignoring case, until its key is revoked", async () => {
  const keys = await fresh();
  keys.create(input("Phone"));
  for (const name of ["Phone", "phone", "owner", "window", "command-line", "wyoming"]) {
    expect(() => keys.create(input(name))).toThrow(
      expect.objectContaining({ key: "name_taken", param: "name" }),
    );
  }
  expect(keys.list()).toHaveLength(1);
  keys.revoke("Phone");
  expect(keys.create(input("phone")).name).toBe("phone");
});

it("revokes by id or name, at once, and still resolves the name for earlier usage", async () => {
  const keys = await fresh();
  const [a, b] = [keys.create(input("a")), keys.create(input("b"))];
  expect(keys.verify(a.secret)?.name).toBe("a");
  expect([
    keys.revoke(a.id),
    keys.revoke(a.id),
    keys.revoke("B"),
    keys.revoke("owner"),
    keys.revoke(""),
  ]).toEqual([true, false, true, false, false]);
  expect([keys.verify(a.secret), keys.verify(b.secret)]).toEqual([undefined, undefined]);
  expect(keys.verify("hs-owner")?.isOwner).toBe(true);
  expect(keys.list()).toEqual([]);
  expect([keys.nameOf(a.id), keys.nameOf("owner")]).toEqual(["a", undefined]);
});
