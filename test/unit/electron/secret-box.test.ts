import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createProviderKeys } from "../../../main/storage/settings/provider-keys.ts";
import { createSecretBox } from "../../../main/electron/secret-box.ts";
import { quietLog } from "../../support/app.ts";
import { fake, safeStorage } from "../../support/fake-electron.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { readFileSync } from "node:fs";

beforeEach(
  () =>
    void (fake.keyring = {
      isAvailable: true,
      isLocked: false,
      backend: "gnome_libsecret",
      key: "a",
      rotated: undefined,
    }),
);

it("decrypts what it encrypted, and reveals nothing in between", async () => {
  const box = await createSecretBox(safeStorage, "linux");
  const sealed = (await box?.seal("sk-🔑")) ?? "";
  expect(sealed).not.toContain("sk-");
  expect(await box?.open(sealed)).toBe("sk-🔑");
});

it.each(["basic_text", "unknown"] as const)(
  "is not available where the keyring of Linux is %s",
  async (backend) => {
    fake.keyring.backend = backend;
    expect(await createSecretBox(safeStorage, "linux")).toBeUndefined();
    // The value has no meaning on other systems.
    expect(await createSecretBox(safeStorage, "darwin")).toBeDefined();
  },
);

it("is not available where encryption is unavailable or the query for it fails", async () => {
  fake.keyring.isAvailable = false;
  expect(await createSecretBox(safeStorage, "win32")).toBeUndefined();
  expect(
    await createSecretBox(
      { ...safeStorage, isAsyncEncryptionAvailable: () => Promise.reject(new Error("locked")) },
      "win32",
    ),
  ).toBeUndefined();
});

it("rejects data that was encrypted with another key", async () => {
  const box = await createSecretBox(safeStorage, "linux");
  const sealed = (await box?.seal("mine")) ?? "";
  fake.keyring.key = "b";
  await expect(box?.open(sealed)).rejects.toThrow(/decrypting/);
  await expect(box?.open("c29tZXRoaW5n")).rejects.toThrow(/not encrypted by this keyring/);
});

it("encrypts keys again, once, when the keyring has a new key", async () => {
  const dataDir = await openTestFolder();
  const path = join(dataDir, "provider-keys.json");
  const secretBox = await createSecretBox(safeStorage, "linux");
  const channel = { id: "c1", name: "One", origin: "https://one.test" };
  const open = () => createProviderKeys({ dataDir, secretBox, env: {}, log: quietLog });
  await (await open()).set(channel.id, channel.origin, "sk-old");
  const before = readFileSync(path, "utf8");
  fake.keyring.rotated = "b";
  const keys = await open();
  expect(keys.get(channel)).toBe("sk-old");
  await expect.poll(() => readFileSync(path, "utf8")).not.toBe(before);
  const after = readFileSync(path, "utf8");
  fake.keyring = { ...fake.keyring, key: "b", rotated: undefined };
  expect((await open()).get(channel)).toBe("sk-old");
  expect(readFileSync(path, "utf8")).toBe(after);
});

it("keeps an encrypted key while the keyring is missing, and reads it when the keyring is back", async () => {
  const dataDir = await openTestFolder();
  const channel = { id: "c1", name: "One", origin: "https://one.test" };
  const secretBox = await createSecretBox(safeStorage, "linux");
  await (
    await createProviderKeys({ dataDir, secretBox, env: {}, log: quietLog })
  ).set(channel.id, channel.origin, "sk-kept");
  const without = await createProviderKeys({ dataDir, env: {}, log: quietLog });
  expect([without.get(channel), without.source(channel)]).toEqual([undefined, "stored"]);
  expect(
    (await createProviderKeys({ dataDir, secretBox, env: {}, log: quietLog })).get(channel),
  ).toBe("sk-kept");
});

it("reports a keyring that has become unavailable", async () => {
  const secretBox = await createSecretBox(safeStorage, "linux");
  fake.keyring.isLocked = true;
  await expect(secretBox?.seal("sk-new")).rejects.toThrow(
    "The system's keyring did not accept the key: unlock it, and try again.",
  );
  fake.keyring.isLocked = false;
});
