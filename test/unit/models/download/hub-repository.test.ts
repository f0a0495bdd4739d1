import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { shippedWeightsDir } from "../../../../main/models/shipped-models.ts";
import {
  type FakeHub,
  hashesOf,
  type HubRepository,
  readFiles,
  respondStatus,
  respondWebPage,
  sha256,
  testRevision,
} from "../../../support/fake-hub.ts";
import { openDownloads, openHub } from "../../../support/model-downloads.ts";

const repository = "someone/whisper-base-onnx";
let whisper: Record<string, Buffer> = {};

beforeAll(async () => {
  whisper = await readFiles(join(shippedWeightsDir, "whisper-base"));
});

const startOptions = {
  revision: "main",
  acceptLicence: false,
  signal: new AbortController().signal,
};

const hubWith = (given: Partial<HubRepository> = {}) =>
  openHub({
    [repository]: { files: { ...whisper, "sounds/test.wav": Buffer.alloc(20_000) }, ...given },
  });

it("downloads the files that the family needs, of one commit, with their checksums", async () => {
  const hub = await hubWith();
  const downloads = await openDownloads([hub]);
  const done = downloads.reached("done");
  const { id } = await downloads.startRepository(repository, startOptions);
  await done;
  const entry = downloads.installed.get(id);
  expect(entry).toMatchObject({
    id: "someone--whisper-base-onnx",
    family: "whisper",
    kind: "speech-to-text",
    ownedBy: "someone",
    licence: { name: "mit" },
    sources: [{ repository, revision: testRevision }],
  });
  expect(entry?.languages.length).toBeGreaterThan(90);
  const hashes = await hashesOf(join(downloads.folder, id));
  expect(Object.keys(hashes)).toContain("tokenizer.json");
  expect(Object.keys(hashes)).not.toContain("sounds/test.wav");
  expect(Object.fromEntries(entry?.files.map((file) => [file.name, file.sha256]) ?? [])).toEqual(
    hashes,
  );
  for (const [name, hash] of Object.entries(hashes))
    expect([name, hash]).toEqual([name, sha256(whisper[name] ?? Buffer.alloc(0))]);
});

it("names a repository that does not exist, a version that is gone, and files of no family", async () => {
  const hub = await hubWith({ files: { "model.bin": Buffer.alloc(100) } });
  const downloads = await openDownloads([hub]);
  const errorOf = (name: string, revision: string): Promise<unknown> =>
    downloads.startRepository(name, { ...startOptions, revision }).then(
      () => undefined,
      (error: { sent: { id: string } }) => error.sent.id,
    );
  expect(await errorOf("someone/nothing", "main")).toBe("download.repositoryMissing");
  expect(await errorOf(repository, "v0")).toBe("download.revisionMissing");
  expect(await errorOf(repository, "main")).toBe("download.noFamily");
  hub.setFault("/main", respondStatus(403, "GatedRepo"));
  expect(await errorOf(repository, "main")).toBe("download.gated");
  hub.setFault("/main", respondWebPage);
  expect(await errorOf(repository, "main")).toBe("download.portal");
  hub.setFault("/main", ({ response }) => response.end("[]"));
  expect(await errorOf(repository, "main")).toBe("download.unreadable");
});

const otherRevision = "f".repeat(40);

/** A download of another revision that failed, as the next start finds it. */
async function failedFormer(files = whisper): Promise<string> {
  const hub = await hubWith({ files, revision: otherRevision });
  hub.setFault("tokenizer.json", respondStatus(403));
  const downloads = await openDownloads([hub]);
  const failed = downloads.reached("failed");
  await downloads.startRepository(repository, startOptions);
  await failed;
  await downloads.close();
  return downloads.folder;
}

it("prefers the revision that is asked for to one that has partly arrived", async () => {
  const config = (whisper["config.json"] ?? Buffer.alloc(0)).toString();
  const other = Buffer.from(config.replaceAll(" ", "\t"));
  const folder = await failedFormer({ ...whisper, "config.json": other });
  const downloads = await openDownloads([await hubWith()], { folder });
  await downloads.restore();
  const done = downloads.reached("done");
  const { id } = await downloads.startRepository(repository, startOptions);
  await done;
  expect(downloads.installed.get(id)?.sources).toEqual([{ repository, revision: testRevision }]);
  const hashes = await hashesOf(join(downloads.folder, id));
  expect(hashes["config.json"]).toBe(sha256(Buffer.from(config)));
});

it("goes on with what has arrived where another revision has the same files", async () => {
  const folder = await failedFormer();
  const hub = await hubWith();
  const downloads = await openDownloads([hub], { folder });
  await downloads.restore();
  // This hub does not have the former commit.
  const failed = downloads.reached("failed");
  await downloads.startRepository(repository, startOptions);
  expect((await failed).error?.id).toBe("download.revisionMissing");
  expect(hub.requests.some(({ path }) => path.includes(`/resolve/${otherRevision}/`))).toBe(true);
});

it("says that another version of a repository is installed", async () => {
  const hub = await hubWith();
  const downloads = await openDownloads([hub]);
  const done = downloads.reached("done");
  const { id } = await downloads.startRepository(repository, startOptions);
  await done;
  await expect(downloads.startRepository(repository, startOptions)).rejects.toMatchObject({
    sent: { id: "download.installed" },
  });
  const entry = downloads.installed.get(id);
  if (entry === undefined) throw new Error("nothing was installed");
  const files = entry.files.map((file) => ({ ...file, sha256: "0".repeat(64) }));
  downloads.installed.set(id, { ...entry, files });
  await expect(downloads.startRepository(repository, startOptions)).rejects.toMatchObject({
    sent: { id: "download.otherVersion" },
  });
});

it("asks for a licence that is not known to be free", async () => {
  const hub = await hubWith({ cardData: { license: "other", license_name: "community-licence" } });
  const downloads = await openDownloads([hub]);
  await expect(downloads.startRepository(repository, startOptions)).rejects.toMatchObject({
    key: "licence_not_accepted",
    sent: { params: { licence: "community-licence" } },
  });
});

it("names the repository where the address of its licence is none", async () => {
  const hub = await hubWith({ cardData: { license: "other", license_link: "https:nowhere" } });
  const downloads = await openDownloads([hub]);
  await expect(downloads.startRepository(repository, startOptions)).rejects.toMatchObject({
    sent: { params: { url: `${hub.baseUrl}/${repository}` } },
  });
});

const sentTo = (server: "hub" | "cdn", { requests }: FakeHub): unknown[] => [
  ...new Set(
    requests.filter((each) => each.server === server).map(({ authorization }) => authorization),
  ),
];

it("sends the access token to the hub that asks for it, and to no other host", async () => {
  const [hub, mirror] = [await hubWith({ token: "hf_secret" }), await hubWith()];
  hub.setFault("tokenizer.json", respondStatus(404));
  const downloads = await openDownloads([hub, mirror], { token: () => "hf_secret" });
  const done = downloads.reached("done");
  await downloads.startRepository(repository, startOptions);
  await done;
  expect(hub.sentBytes("onnx/encoder_model_any_length.onnx")).toBeGreaterThan(0);
  expect(sentTo("hub", hub)).toEqual([undefined, "Bearer hf_secret"]);
  expect(sentTo("cdn", hub)).toEqual([undefined]);
  expect(mirror.sentBytes("tokenizer.json")).toBeGreaterThan(0);
  expect(sentTo("hub", mirror)).toEqual([undefined]);
});

it("sends no access token to a hub that does not ask for it", async () => {
  const hub = await hubWith();
  const downloads = await openDownloads([hub], { token: () => "hf_secret" });
  const done = downloads.reached("done");
  await downloads.startRepository(repository, startOptions);
  await done;
  expect(sentTo("hub", hub)).toEqual([undefined]);
});
