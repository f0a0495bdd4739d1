import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { shippedWeightsDir } from "../../../../main/models/shipped-models.ts";
import {
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
    id: "someone-whisper-base-onnx",
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
});

it("asks for a licence that is not known to be free", async () => {
  const hub = await hubWith({ cardData: { license: "other", license_name: "community-licence" } });
  const downloads = await openDownloads([hub]);
  await expect(downloads.startRepository(repository, startOptions)).rejects.toMatchObject({
    key: "licence_not_accepted",
    sent: { params: { licence: "community-licence" } },
  });
});

it("sends the access token to the hub, but to no other host", async () => {
  const [hub, mirror] = [await hubWith(), await hubWith()];
  hub.setFault("tokenizer.json", respondStatus(403));
  const downloads = await openDownloads([hub, mirror], { token: () => "hf_secret" });
  const done = downloads.reached("done");
  await downloads.startRepository(repository, startOptions);
  await done;
  const sentTo = (server: "hub" | "cdn", { requests }: typeof hub): unknown[] => [
    ...new Set(
      requests.filter((each) => each.server === server).map(({ authorization }) => authorization),
    ),
  ];
  expect(sentTo("hub", hub)).toEqual(["Bearer hf_secret"]);
  expect(sentTo("cdn", hub)).toEqual([undefined]);
  expect(sentTo("hub", mirror)).toEqual([undefined]);
});
