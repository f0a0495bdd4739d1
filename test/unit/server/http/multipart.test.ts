import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { maxUploadBytes } from "../../../../main/contract/openai.ts";
import { mediaFile } from "../../../../main/storage/media-file.ts";
import { failingIterable } from "../../../support/fake-channel.ts";
import { createTestGateway, uploadForm, wavBytes } from "../../../support/gateway-server.ts";

const path = "/v1/audio/transcriptions";
const type = "multipart/form-data; boundary=cut";

/** A form body of text and bytes, sent in chunks of `pieceBytes`. */
function sent(
  parts: readonly (string | Uint8Array)[],
  pieceBytes = 65_536,
  contentType = type,
): RequestInit {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(new Uint8Array(bytes.subarray(at, (at += pieceBytes))));
    },
  });
  return {
    method: "POST",
    headers: { "content-type": contentType },
    body,
    duplex: "half",
  } as RequestInit;
}

const field = (name: string, value: string) =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const filePart = (
  bytes: Uint8Array,
  disposition = 'name="file"; filename="a.wav"',
  headers = "",
) => [`--cut\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n`, bytes, "\r\n"];
const end = "--cut--\r\n";
const model = field("model", "whisper-1");

async function refusal(init: RequestInit) {
  const { request, tempFiles, channel } = await createTestGateway();
  const response = await request(path, init);
  const { error } = await response.json();
  expect(await tempFiles()).toEqual([]);
  expect(channel.transcriptionJobs).toEqual([]);
  return { status: response.status, ...error };
}

describe("a form", () => {
  it("is parsed the same however it is divided into chunks", async () => {
    const recording = wavBytes(300);
    recording.write("\r\n--cu", 100);
    for (const pieceBytes of [1, 2, 3, 7, 64, 1000]) {
      let received: Buffer | undefined;
      const { request } = await createTestGateway({
        script: {
          async *transcribe(job) {
            received = await readFile(await mediaFile(job));
            yield {
              type: "done",
              transcript: {
                language: "english",
                durationSec: 1,
                text: job.prompt ?? "",
                segments: [],
                failed: [],
              },
            };
          },
        },
      });
      const response = await request(
        path,
        sent(
          [
            "preamble\r\n",
            ...filePart(recording),
            field("prompt", "Grüße\r\nan alle"),
            model,
            end,
            "epilogue",
          ],
          pieceBytes,
        ),
      );
      expect((await response.json()).text).toBe("Grüße\r\nan alle");
      expect(received?.equals(recording)).toBe(true);
    }
  });

  it("may omit the name of the recording, and may give a text field the type of a file", async () => {
    const { request } = await createTestGateway();
    const octets = "Content-Type: application/octet-stream\r\n";
    const oddModel = `--cut\r\nContent-Disposition: form-data; name="model"\r\n${octets}\r\nwhisper-1\r\n`;
    expect(
      (await request(path, sent([...filePart(wavBytes(), 'name="file"', octets), oddModel, end])))
        .status,
    ).toBe(200);
  });

  it.each([
    [
      "is cut off inside the recording",
      sent([
        '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
        wavBytes(),
      ]),
    ],
    [
      "is cut off inside a field",
      sent([
        ...filePart(wavBytes()),
        '--cut\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhis',
      ]),
    ],
    ["is cut off before its end", sent([...filePart(wavBytes()), model])],
    ["is empty", sent([])],
    ["contains JSON instead", sent(['{"model": "whisper-1"}'])],
    [
      "names no boundary",
      sent([...filePart(wavBytes()), model, end], 65_536, "multipart/form-data"),
    ],
    [
      "is declared to be JSON",
      sent([...filePart(wavBytes()), model, end], 65_536, "application/json"),
    ],
    [
      "has too many fields",
      sent([
        ...Array.from({ length: 80 }, (_, at) => field(`f${at}`, "x")),
        ...filePart(wavBytes()),
        model,
        end,
      ]),
    ],
  ])("that %s is rejected as unparsable", async (_name, init) => {
    expect(await refusal(init)).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Could not parse multipart form: /),
      type: "invalid_request_error",
      param: null,
    });
  });

  it("with a field that is far too long is rejected", async () => {
    expect(
      await refusal(
        sent([field("prompt", "x".repeat(300_000)), ...filePart(wavBytes()), model, end]),
      ),
    ).toMatchObject({
      status: 400,
      param: "prompt",
      code: "string_above_max_length",
    });
  });

  it("without a body is rejected", async () => {
    expect(await refusal({ method: "POST", headers: { "content-type": type } })).toMatchObject({
      status: 400,
    });
  });

  it("without a recording is rejected with the name of the field", async () => {
    expect(await refusal(sent([model, end]))).toMatchObject({
      status: 400,
      param: "file",
      message: "You must provide the field 'file'.",
    });
    expect(
      await refusal(sent([model, ...filePart(wavBytes(), 'name="audio"; filename="a.wav"'), end])),
    ).toMatchObject({
      param: "file",
      message: "You must provide the field 'file'. A file came in the field 'audio' instead.",
    });
  });

  it("with a path in place of the recording is rejected with a hint at the missing @", async () => {
    expect(await refusal(sent([model, field("file", "./said.mp3"), end]))).toMatchObject({
      status: 400,
      param: "file",
      message: expect.stringContaining("-F file=@"),
    });
  });

  it("with two recordings is rejected", async () => {
    expect(
      await refusal(sent([...filePart(wavBytes()), ...filePart(wavBytes()), model, end])),
    ).toMatchObject({ status: 400, param: "file" });
  });
});

describe("a recording", () => {
  it("that is empty is rejected as too short", async () => {
    expect(await refusal(sent([...filePart(new Uint8Array()), model, end]))).toMatchObject({
      status: 400,
      param: "file",
      code: "audio_too_short",
    });
  });

  it.each([
    ["text", Buffer.from("This is no recording at all.")],
    [
      "a picture",
      Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20_000)]),
    ],
    ["FLAC", Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(20_000)])],
  ])("that is %s is rejected with the list of seven formats", async (_name, bytes) => {
    const refused = await refusal(sent([...filePart(bytes), model, end]));
    expect(refused).toEqual({
      status: 400,
      message:
        "Invalid file format. Supported formats: ['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm']",
      type: "invalid_request_error",
      param: "file",
    });
  });

  it("of another format is accepted when the setting allows it", async () => {
    const { request } = await createTestGateway({ deps: { moreFormats: true } });
    const flac = new Blob([new Uint8Array(Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(64)]))]);
    expect(
      (await request(path, { method: "POST", body: uploadForm({ model: "whisper-1" }, flac) }))
        .status,
    ).toBe(200);
    const text = await request(path, {
      method: "POST",
      body: uploadForm({ model: "whisper-1" }, new Blob(["text"])),
    });
    expect((await text.json()).error.message).toMatch(/'webm', 'flac', 'ogg', 'opus'\]$/);
  });

  it.each([
    ["small", 100_000, 0],
    ["too large for memory", 140_000, 1],
  ])(
    "that is %s is available at a path while it is needed, and removed afterwards",
    async (_name, sizeBytes, filesBefore) => {
      const recording = wavBytes(sizeBytes);
      const seen: { files: number; same: boolean }[] = [];
      const { request, tempFiles } = await createTestGateway({
        script: {
          async *transcribe(job) {
            const files = (await tempFiles()).length;
            const [one, other] = await Promise.all([mediaFile(job), mediaFile(job)]);
            seen.push({ files, same: one === other && recording.equals(await readFile(one)) });
            yield {
              type: "done",
              transcript: {
                language: "english",
                durationSec: 1,
                text: "",
                segments: [],
                failed: [],
              },
            };
          },
        },
      });
      expect((await request(path, sent([...filePart(recording), model, end]))).status).toBe(200);
      expect(seen).toEqual([{ files: filesBefore, same: true }]);
      expect(await tempFiles()).toEqual([]);
    },
  );

  it("of exactly 25 MB is accepted, and one byte more is not", async () => {
    const { request, tempFiles } = await createTestGateway();
    const exact = await request(path, sent([...filePart(wavBytes(maxUploadBytes)), model, end]));
    expect(exact.status).toBe(200);
    const over = await request(path, sent([...filePart(wavBytes(maxUploadBytes + 1)), model, end]));
    expect(over.status).toBe(413);
    expect(await over.json()).toEqual({
      error: {
        message: "File too large: the maximum is 25 MB (26214400 bytes).",
        type: "invalid_request_error",
        param: "file",
      },
    });
    expect(await tempFiles()).toEqual([]);
  });

  it("of 25 MB is accepted beside recordings of known speakers", async () => {
    const { request } = await createTestGateway();
    const references = Array.from({ length: 4 }, () =>
      field("known_speaker_references[]", "A".repeat(3 * 2 ** 20)),
    );
    const form = sent([...filePart(wavBytes(maxUploadBytes)), model, ...references, end]);
    const response = await request(path, form);
    // What is wrong is no longer the size of the file.
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: "known_speaker_references" } });
  });

  it("that cannot be stored is an unexpected failure, without the path", async () => {
    const { request, logLines } = await createTestGateway({
      deps: { tempDir: () => "/nonexistent/folder" },
    });
    const response = await request(path, sent([...filePart(wavBytes(200_000)), model, end]));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("nonexistent");
    expect(logLines).toHaveLength(1);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "that exceeds the disk space is reported as such, without the path (needs /dev/full)",
    async () => {
      const { request } = await createTestGateway({
        script: { transcribe: () => failingIterable(() => writeFile("/dev/full", "recording")) },
      });
      const response = await request(path, { method: "POST", body: uploadForm() });
      expect(response.status).toBe(507);
      expect((await response.json()).error).toEqual({
        message: "There is no room left on the disk. Free some space, then try again.",
        type: "server_error",
        param: null,
        code: "storage_full",
      });
    },
  );
});

describe("a client", () => {
  it("that stops sending gets a 408", async () => {
    const { request, tempFiles } = await createTestGateway({
      limits: { body: { idleMs: 20, drainBytes: 1000, drainMs: 20 } },
    });
    const body = new ReadableStream({
      start: (controller) =>
        controller.enqueue(Buffer.from(filePart(wavBytes()).slice(0, 2).join(""))),
    });
    const response = await request(path, {
      method: "POST",
      headers: { "content-type": type },
      body,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(408);
    expect((await response.json()).error.code).toBe("request_timeout");
    expect(await tempFiles()).toEqual([]);
  });

  it("whose body is rejected may send only a limited rest", async () => {
    const { request } = await createTestGateway({
      limits: { body: { idleMs: 1000, drainBytes: 100_000, drainMs: 1000 } },
    });
    let sentBytes = 0;
    const body = new ReadableStream({
      pull(controller) {
        const chunk =
          sentBytes === 0
            ? Buffer.from(
                `${filePart(new Uint8Array())[0] as string}${"no recording ".repeat(1000)}`,
              )
            : Buffer.alloc(10_000);
        sentBytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const response = await request(path, {
      method: "POST",
      headers: { "content-type": type },
      body,
      duplex: "half",
    } as RequestInit);
    expect((await response.json()).error.message).toMatch(/^Invalid file format/);
    expect(sentBytes).toBeLessThan(300_000);
  });
});
