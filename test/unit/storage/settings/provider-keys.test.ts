import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "../../../../main/log.ts";
import type { SecretBox } from "../../../../main/platform.ts";
import { toKeyVariable } from "../../../../main/storage/settings/environment-keys.ts";
import { createProviderKeys } from "../../../../main/storage/settings/provider-keys.ts";
import { runInOtherProcess } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const groq = { id: "my-groq", name: "My Groq", origin: "https://api.groq.com" };
const filesLeft = ["provider-keys.json", "provider-keys.json.lock"];
const soleUse = pathToFileURL(
  resolve(import.meta.dirname, "..", "..", "..", "..", "main", "storage", "process-lock.ts"),
).href;
const fileIn = (dataDir: string) => join(dataDir, "provider-keys.json");

async function keysIn(
  dataDir: string,
  { env = {}, secretBox }: { env?: NodeJS.ProcessEnv; secretBox?: SecretBox } = {},
) {
  const lines: string[] = [];
  const keys = await createProviderKeys({
    dataDir,
    env,
    secretBox,
    log: createLog("warn", { write: (line) => void lines.push(line) }),
  });
  return { ...keys, lines };
}

/** Decrypts only what was encrypted with the same secret. */
const boxOf = (secret: string): SecretBox => ({
  seal: (text) => Promise.resolve(Buffer.from(`${secret}:${text}`).toString("base64")),
  async open(sealed) {
    const [owner, text] = Buffer.from(sealed, "base64").toString().split(":");
    if (owner !== secret || text === undefined) throw new Error("sealed by someone else");
    return text;
  },
});

it("keeps a key from run to run", async () => {
  const dataDir = await openTestFolder();
  const keys = await keysIn(dataDir);
  expect([keys.get(groq), keys.source(groq)]).toEqual([undefined, "none"]);
  await keys.set(groq.id, groq.origin, " gsk-1 \n");
  expect([keys.get(groq), keys.source(groq)]).toEqual(["gsk-1", "stored"]);
  await keys.set(groq.id, groq.origin, "gsk-2");
  await keys.set("other", groq.origin, "gsk-3");
  expect((await keysIn(dataDir)).get(groq)).toBe("gsk-2");
  expect(await readdir(dataDir)).toEqual(filesLeft);
  await keys.remove(groq.id);
  await keys.remove("nobody");
  expect([keys.get(groq), keys.source(groq), keys.get({ ...groq, id: "other" })]).toEqual([
    undefined,
    "none",
    "gsk-3",
  ]);
});

it("removes at the next start what a killed process was writing", async () => {
  const dataDir = await openTestFolder();
  await (await keysIn(dataDir)).set(groq.id, groq.origin, "gsk-1");
  for (const name of ["provider-keys.json.draft", "provider-keys.json.3966.35558191"])
    await writeFile(join(dataDir, name), "gsk-0");
  const keys = await keysIn(dataDir);
  expect(await readdir(dataDir)).toEqual(filesLeft);
  expect(keys.get(groq)).toBe("gsk-1");
});

it("reads the file of an older version, and keeps its keys", async () => {
  const dataDir = await openTestFolder();
  const entry = { channelId: groq.id, origin: groq.origin, key: "gsk-1" };
  const environment = [{ variable: "V", digest: "0123", origin: "https://elsewhere.example" }];
  await writeFile(fileIn(dataDir), JSON.stringify({ keys: [entry], environment }));
  const keys = await keysIn(dataDir);
  expect(keys.get(groq)).toBe("gsk-1");
  await keys.set("other", groq.origin, "gsk-2");
  expect(keys.get(groq)).toBe("gsk-1");
});

it.skipIf(process.platform === "win32")("makes the file accessible only to its owner", async () => {
  const dataDir = await openTestFolder();
  await writeFile(fileIn(dataDir), '{"keys":[]}', { mode: 0o644 });
  await (await keysIn(dataDir)).set(groq.id, groq.origin, "gsk-1");
  expect((await stat(fileIn(dataDir))).mode & 0o777).toBe(0o600);
});

it("uses a key for no other origin and no other channel", async () => {
  const { set, get, source } = await keysIn(await openTestFolder());
  await set(groq.id, groq.origin, "gsk-1");
  for (const other of [
    { ...groq, origin: "http://api.groq.com" },
    { ...groq, origin: "https://evil.example" },
    { ...groq, id: "another" },
  ]) {
    expect([get(other), source(other)]).toEqual([undefined, "none"]);
  }
});

it("prefers the environment, by the name of the channel", async () => {
  const env: NodeJS.ProcessEnv = { HEARSAY_CHANNEL_MY_GROQ_KEY: " from-outside " };
  const { set, get, source } = await keysIn(await openTestFolder(), { env });
  await set(groq.id, groq.origin, "gsk-1");
  expect([get(groq), source(groq)]).toEqual(["from-outside", "environment"]);
  env["HEARSAY_CHANNEL_MY_GROQ_KEY"] = " ";
  expect([get(groq), source(groq)]).toEqual(["gsk-1", "stored"]);
  expect([toKeyVariable("kokoro-2.1"), toKeyVariable("Größe")]).toEqual([
    "HEARSAY_CHANNEL_KOKORO_2_1_KEY",
    "HEARSAY_CHANNEL_GR_SSE_KEY",
  ]);
});

it("binds a key of the environment to the first origin that it was used for, until the key changes", async () => {
  const dataDir = await openTestFolder();
  const env: NodeJS.ProcessEnv = { HEARSAY_CHANNEL_MY_GROQ_KEY: "gsk-1" };
  const moved = { ...groq, origin: "https://evil.example" };
  const { set, get, source, lines } = await keysIn(dataDir, { env });
  expect([source(moved), get(groq), source(moved), get(moved), get(moved)]).toEqual([
    "environment",
    "gsk-1",
    "none",
    undefined,
    undefined,
  ]);
  expect([lines.length, lines[0]]).toEqual([
    1,
    expect.stringContaining("HEARSAY_CHANNEL_MY_GROQ_KEY"),
  ]);
  // Another name may map to the same variable.
  expect(get({ id: "other", name: "my-groq", origin: moved.origin })).toBeUndefined();
  await set(groq.id, moved.origin, "for-there");
  expect([get(moved), source(moved), get(groq)]).toEqual(["for-there", "stored", "gsk-1"]);
  expect(await readFile(fileIn(dataDir), "utf8")).not.toContain("gsk-1");
  env["HEARSAY_CHANNEL_MY_GROQ_KEY"] = "gsk-2";
  expect([get(moved), get(groq)]).toEqual(["gsk-2", undefined]);
});

it("rejects keys that cannot be sent in a header, without repeating them", async () => {
  const { set } = await keysIn(await openTestFolder());
  for (const wrong of ["", " ", "two words", "a\r\nb", "kéy"]) {
    await expect(set(groq.id, groq.origin, wrong)).rejects.toMatchObject({
      key: "invalid_value",
      param: "key",
      message: "A key consists of printable characters without spaces.",
    });
  }
});

it("encrypts keys where the platform can, and decrypts them at the start", async () => {
  const dataDir = await openTestFolder();
  const keys = await keysIn(dataDir, { secretBox: boxOf("mine") });
  await keys.set(groq.id, groq.origin, "gsk-1");
  expect(keys.get(groq)).toBe("gsk-1");
  expect(await readFile(fileIn(dataDir), "utf8")).not.toContain("gsk-1");
  expect((await keysIn(dataDir, { secretBox: boxOf("mine") })).get(groq)).toBe("gsk-1");
});

it("ignores a key that was encrypted elsewhere, logs it, and keeps it for a process that can decrypt it", async () => {
  const dataDir = await openTestFolder();
  await (await keysIn(dataDir, { secretBox: boxOf("mine") })).set(groq.id, groq.origin, "gsk-1");
  const theirs = await keysIn(dataDir, { secretBox: boxOf("theirs") });
  expect([theirs.get(groq), theirs.source(groq)]).toEqual([undefined, "stored"]);
  expect(theirs.lines.join()).toContain("sealed by someone else");
  const plain = await keysIn(dataDir);
  await plain.set("other", groq.origin, "gsk-2");
  expect([plain.get(groq), plain.get({ ...groq, id: "other" })]).toEqual([undefined, "gsk-2"]);
  expect((await keysIn(dataDir, { secretBox: boxOf("mine") })).get(groq)).toBe("gsk-1");
});

it("keeps all keys that several processes set at once", async () => {
  const dataDir = await openTestFolder();
  // When a process ends while it holds the lock, the others can take it.
  const script = `
    const { acquireProcessLock } = await import('${soleUse}');
    globalThis.release = acquireProcessLock(process.argv[1]);
    console.log('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(
    process.execPath,
    ["--input-type=module", "-e", script, `${fileIn(dataDir)}.lock`],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  const source = `
    import { createProviderKeys } from '$main/storage/settings/provider-keys.ts';
    const keys = await createProviderKeys({ dataDir: process.argv[1], env: {}, log: console });
    for (let n = 0; n < 5; n += 1) await keys.set(process.argv[2] + n, 'https://a.example', 'key');`;
  const all = Promise.all(
    Array.from({ length: 4 }, (_, at) => runInOtherProcess(source, [dataDir, `process${at}-`])),
  );
  holder.kill("SIGKILL");
  await all;
  const { keys } = JSON.parse(await readFile(fileIn(dataDir), "utf8")) as { keys: unknown[] };
  expect(keys).toHaveLength(20);
  expect(await readdir(dataDir)).toEqual(filesLeft);
});

it("starts with an invalid file, and keeps a copy of it when a key is set", async () => {
  const dataDir = await openTestFolder();
  await writeFile(fileIn(dataDir), '{ "keys": [ oh');
  const keys = await keysIn(dataDir);
  expect(keys.get(groq)).toBeUndefined();
  expect(keys.lines).toHaveLength(1);
  await keys.set(groq.id, groq.origin, "gsk-1");
  expect(keys.get(groq)).toBe("gsk-1");
  expect(await readFile(`${fileIn(dataDir)}.broken`, "utf8")).toBe('{ "keys": [ oh');
});

it("takes the key of a variable that its owner names, and not the one of its name", async () => {
  const hub = { id: "hub", name: "Hub", origin: "https://hub.test", keyVariable: "HF_TOKEN" };
  const env = { HF_TOKEN: "hf-1", HEARSAY_CHANNEL_HUB_KEY: "gsk-1" };
  const keys = await keysIn(await openTestFolder(), { env });
  expect([keys.get(hub), keys.source(hub)]).toEqual(["hf-1", "environment"]);
  expect(keys.get({ ...hub, origin: "https://elsewhere.test" })).toBeUndefined();
});
