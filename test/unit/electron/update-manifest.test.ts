import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  checkBuiltInKeys,
  checkVersion,
  createSigningKey,
  readSigningKey,
  signFeed,
} from "../../../build/sign-feed.ts";
import {
  builtInKeys,
  createFeedReader,
  readSignedManifest,
} from "../../../main/electron/update-feed.ts";
import {
  checkFile,
  isNewer,
  type Machine,
  readManifest,
  readPublicKey,
  writePublicKey,
} from "../../../main/electron/update-manifest.ts";
import { openTestFolder } from "../../support/test-data.ts";

const readFeedFile = createFeedReader({ fetch: (...request) => fetch(...request) });
const machine: Machine = { system: "linux", arch: "x64" };
const keyPair = generateKeyPairSync("ed25519");

/** A release as `npm run package -- --feed` creates it. */
async function release() {
  const folder = await openTestFolder();
  const made = [
    "hearsay-1.2.0-linux-x86_64.AppImage",
    "hearsay-1.2.0-linux-amd64.deb",
    "latest-linux.yml",
    "hearsay-1.2.0-linux-x86_64.AppImage.blockmap",
  ].map((name) => join(folder, name));
  for (const path of made) writeFileSync(path, `content of ${path.length}`);
  const [manifest = "", signature = ""] = await signFeed(
    made,
    "1.2.0",
    keyPair.privateKey,
    machine,
  );
  return { folder, made, manifest: join(folder, manifest), signature: join(folder, signature) };
}

it("signs every package of a release, and the app reads the manifest over HTTP", async () => {
  const { folder, made } = await release();
  const server = createServer((request, response) => {
    try {
      response.end(
        readFileSync(
          join(folder, new URL(request.url ?? "", "http://x").pathname.replace("/feed/", "")),
        ),
      );
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const feed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
  const manifest = await readSignedManifest(feed, [keyPair.publicKey], machine, readFeedFile);
  expect(manifest).toMatchObject({
    version: "1.2.0",
    ...machine,
    files: [
      { name: "hearsay-1.2.0-linux-x86_64.AppImage" },
      { name: "hearsay-1.2.0-linux-amd64.deb" },
    ],
  });
  for (const [at, file] of manifest.files.entries()) await checkFile(made[at] ?? "", file);
  await expect(
    checkFile(made[0] ?? "", manifest.files[1] as (typeof manifest.files)[number]),
  ).rejects.toThrow("differs");
  await expect(
    readSignedManifest(`${feed}/empty`, [keyPair.publicKey], machine, readFeedFile),
  ).rejects.toThrow("update-linux-x64.json");
  writeFileSync(join(folder, "update-linux-x64.json.sig"), Buffer.alloc(200_000));
  await expect(
    readSignedManifest(feed, [keyPair.publicKey], machine, readFeedFile),
  ).rejects.toThrow("larger");
});

it("rejects a manifest or a signature with any byte changed", async () => {
  const { manifest, signature } = await release();
  const [bytes, signed] = [readFileSync(manifest), readFileSync(signature, "latin1")];
  expect(readManifest(bytes, signed, [keyPair.publicKey], machine).version).toBe("1.2.0");
  for (let at = 0; at < bytes.length; at += 7) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => readManifest(altered, signed, [keyPair.publicKey], machine)).toThrow("not signed");
  }
  const wrong = Buffer.from(signed, "base64");
  wrong[10] = (wrong[10] ?? 0) ^ 1;
  expect(() => readManifest(bytes, wrong.toString("base64"), [keyPair.publicKey], machine)).toThrow(
    "not signed",
  );
  for (const none of ["", "AA==", "!".repeat(88)])
    expect(() => readManifest(bytes, none, [keyPair.publicKey], machine)).toThrow("not signed");
  expect(() => readManifest(bytes, signed, [], machine)).toThrow("not signed");
  expect(() =>
    readManifest(bytes, signed, [keyPair.publicKey], { ...machine, arch: "arm64" }),
  ).toThrow("another kind");
});

it("rejects data that was signed for another purpose, or that contains a path", () => {
  const good = {
    kind: "hearsay-update",
    version: "1.2.0",
    date: "2026-11-22T12:00:00Z",
    ...machine,
    files: [{ name: "a.deb", sizeBytes: 1, sha512: "x".repeat(88) }],
  };
  const signed = (content: object): (() => unknown) => {
    const bytes = Buffer.from(JSON.stringify(content));
    return () =>
      readManifest(
        bytes,
        sign(null, bytes, keyPair.privateKey).toString("base64"),
        [keyPair.publicKey],
        machine,
      );
  };
  expect(signed(good)).not.toThrow();
  for (const wrong of [
    { kind: "letter" },
    { version: "1.2" },
    { version: "1.2.0-beta" },
    { files: [] },
    { more: 1 },
    ...["../a.deb", "a b.deb", "$(id).deb", "-i.deb", "a/b.deb", "C:\\a.exe"].map((name) => ({
      files: [{ ...good.files[0], name }],
    })),
  ])
    expect(signed({ ...good, ...wrong })).toThrow(/invalid|Unrecognized|Too small/i);
});

it("compares versions by the first number that differs", () => {
  for (const [next, now] of [
    ["1.2.0", "1.1.9"],
    ["1.10.0", "1.9.0"],
    ["2.0.0", "1.99.99"],
    ["0.1.1", "0.1.0"],
    ["1.2.0", "1.2.0-beta.3"],
  ] as const) {
    expect([next, now, isNewer(next, now), isNewer(now, next)]).toEqual([next, now, true, false]);
  }
  expect(isNewer("1.2.0", "1.2.0")).toBe(false);
});

it("generates a key whose signatures the app accepts, readable only by its owner", async () => {
  const path = join(await openTestFolder(), "release.pem");
  const output = await createSigningKey(path);
  const publicKey = /- (\S+)/.exec(output)?.[1] ?? "";
  // Windows has no such permissions.
  expect(process.platform === "win32" ? 0o600 : statSync(path).mode & 0o777).toBe(0o600);
  await expect(createSigningKey(path)).rejects.toThrow("EEXIST");
  const key = await readSigningKey(path, {}, [publicKey]);
  expect(writePublicKey(createPublicKey(key))).toBe(publicKey);
  expect(
    (
      await readSigningKey(undefined, { HEARSAY_SIGNING_KEY: readFileSync(path, "utf8") }, [
        publicKey,
      ])
    ).equals(key),
  ).toBe(true);
  const appDir = join(await openTestFolder(), "app");
  mkdirSync(appDir);
  writeFileSync(
    join(appDir, "package.json"),
    JSON.stringify({ name: "hearsay", updateKeys: [publicKey] }),
  );
  expect(builtInKeys(appDir).map(writePublicKey)).toEqual([publicKey]);
  writeFileSync(join(appDir, "package.json"), JSON.stringify({ name: "hearsay" }));
  expect(builtInKeys(appDir)).toEqual([]);
});

it("signs no feed without a key, with an unknown key, or with an invalid one", async () => {
  const folder = await openTestFolder();
  const path = join(folder, "release.pem");
  const publicKey = /- (\S+)/.exec(await createSigningKey(path))?.[1] ?? "";
  await expect(readSigningKey(undefined, {}, [publicKey])).rejects.toThrow("--signing-key FILE");
  await expect(readSigningKey(path, {}, [])).rejects.toThrow("updateKeys");
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(path, other.privateKey.export({ format: "pem", type: "pkcs8" }));
  await expect(readSigningKey(path, {}, [publicKey])).rejects.toThrow("Ed25519");
  writeFileSync(path, "secret");
  await expect(readSigningKey(path, {}, [publicKey])).rejects.toThrow(/^(?!.*secret).*Ed25519/);
  expect(() => readPublicKey(writePublicKey(other.publicKey))).toThrow("Ed25519");
  expect(() => checkBuiltInKeys([publicKey])).not.toThrow();
  expect(() => checkBuiltInKeys([publicKey, "ssh-ed25519 AAAA"])).toThrow("updateKeys");
  expect(() => checkVersion("1.2.0-beta.1")).toThrow("three numbers");
});
