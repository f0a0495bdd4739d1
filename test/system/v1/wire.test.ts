// The HTTP connection itself: bodies in chunks, slow and broken clients, data sent after a refusal, closing.

import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { maxUploadBytes } from "../../../main/contract/openai.ts";
import type { SpeechChunk, TranscriptionEvent } from "../../../main/contract/speech.ts";
import { listen } from "../../../main/server/http/listen.ts";
import { createLog } from "../../../main/log.ts";
import { rejectOnAbort } from "../../support/fake-channel.ts";
import { openRawConnection } from "../../support/raw-connection.ts";
import { testKey, startTestServer, uploadForm, wavBytes } from "../../support/gateway-server.ts";

const head = (method: string, path: string, headers: Record<string, string> = {}) =>
  [
    `${method} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...Object.entries({ authorization: `Bearer ${testKey}`, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ].join("\r\n") + "\r\n\r\n";

const uploadPath = "/v1/audio/transcriptions";
const formType = { "content-type": "multipart/form-data; boundary=cut" };
const fileHead = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
const formEnd =
  '\r\n--cut\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--cut--\r\n';
const chunked = (data: string | Uint8Array) =>
  Buffer.concat([
    Buffer.from(`${data.length.toString(16)}\r\n`),
    Buffer.from(data as string),
    Buffer.from("\r\n"),
  ]);
const wholeForm = Buffer.concat([Buffer.from(fileHead), wavBytes(), Buffer.from(formEnd)]);
const speechBody = JSON.stringify({ model: "tts-1", voice: "nova", input: "x" });
const speechRequest =
  head("POST", "/v1/audio/speech", { "content-length": `${speechBody.length}` }) + speechBody;

/** Matches once a JSON body that ends in two braces has arrived. */
const errorArrived = /\}\}$/;

describe("an upload", () => {
  it("in chunks of every size is transcribed", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(head("POST", uploadPath, { ...formType, "transfer-encoding": "chunked" }));
    for (let at = 0, size = 1; at < wholeForm.length; at += size, size = (size * 2) % 997)
      await raw.send(chunked(wholeForm.subarray(at, at + size)));
    await raw.send("0\r\n\r\n");
    expect(await raw.waitFor('"text"')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("with Expect: 100-continue gets 100", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(
      head("POST", uploadPath, {
        ...formType,
        "content-length": `${wholeForm.length}`,
        expect: "100-continue",
      }),
    );
    expect(await raw.waitFor("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    await raw.send(wholeForm);
    await raw.waitFor('"text"');
  });

  it("with Expect: 100-continue but without the key is refused instead", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(
      head("POST", uploadPath, {
        ...formType,
        "content-length": `${wholeForm.length}`,
        expect: "100-continue",
        authorization: "Bearer wrong",
      }),
    );
    expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("broken off leaves no recording and no error", async () => {
    const server = await startTestServer();
    for (const headers of [{ "transfer-encoding": "chunked" }, { "content-length": "1000000" }]) {
      const raw = await openRawConnection(server.port);
      await raw.send(head("POST", uploadPath, { ...formType, ...headers }));
      const begin = Buffer.concat([Buffer.from(fileHead), wavBytes(500_000)]);
      await raw.send("content-length" in headers ? begin : chunked(begin));
      await expect.poll(server.tempFiles).toHaveLength(1);
      raw.socket.destroy();
      await expect.poll(server.tempFiles).toEqual([]);
    }
    expect(server.logLines).toEqual([]);
    expect(server.channel.transcriptionJobs).toEqual([]);
  });

  it("that stalls gets 408, and the connection ends", async () => {
    const server = await startTestServer({
      limits: { body: { idleMs: 50, drainBytes: 1000, drainMs: 50 } },
    });
    const raw = await openRawConnection(server.port);
    await raw.send(
      head("POST", uploadPath, { ...formType, "content-length": "1000000" }) + fileHead,
    );
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    expect(await server.tempFiles()).toEqual([]);
  });

  it.each([["at once"], ["with Expect: 100-continue"]])(
    "that announces 10 GB and sends nothing, %s, gets 413",
    async (when) => {
      const { port } = await startTestServer({ limits: { body: { drainMs: 3_600_000 } } });
      const expectation: Record<string, string> =
        when === "at once" ? {} : { expect: "100-continue" };
      for (const [path, type] of [
        [uploadPath, formType],
        ["/v1/audio/speech", { "content-type": "application/json" }],
        ["/app/keys", {}],
      ] as const) {
        const raw = await openRawConnection(port);
        await raw.send(
          head("POST", path, { ...type, "content-length": "10000000000", ...expectation }),
        );
        expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 413 /);
      }
    },
  );

  it("that announces 10 GB and goes on sending is cut off after the 413", async () => {
    const server = await startTestServer({
      wire: { maxUnreadBytes: 1_000_000, maxUnreadMs: 3_600_000 },
    });
    const raw = await openRawConnection(server.port);
    await raw.send(head("POST", uploadPath, { ...formType, "content-length": "10000000000" }));
    expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 413 /);
    await raw.sendUntilClosed(Buffer.alloc(500_000));
    expect(await server.tempFiles()).toEqual([]);
  });

  it("of a form without a recording is refused at the size limit of forms", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(head("POST", uploadPath, { ...formType, "transfer-encoding": "chunked" }));
    await raw.send(
      chunked('--cut\r\nContent-Disposition: form-data; name="other"; filename="a.wav"\r\n\r\n'),
    );
    for (let chunk = 0; chunk < 60; chunk += 1) await raw.send(chunked(Buffer.alloc(1_000_000)));
    await raw.send("0\r\n\r\n");
    expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    ["with its length", { "content-length": "1000000" }],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ])("of one byte at a time, %s, is ended", async (_name, length: Record<string, string>) => {
    const server = await startTestServer({
      limits: {
        body: { idleMs: 3_600_000, minBytesPerSec: 1000, rateWindowMs: 100, drainMs: 3_600_000 },
      },
    });
    const raw = await openRawConnection(server.port);
    const chunk = "content-length" in length ? "x" : chunked("x");
    await raw.send(
      head("POST", uploadPath, { ...formType, ...length }) +
        ("content-length" in length ? fileHead : chunked(fileHead).toString()),
    );
    const dribble = setInterval(() => void raw.send(chunk), 10);
    onTestFinished(() => clearInterval(dribble));
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    expect(await server.tempFiles()).toEqual([]);
  });

  it("of exactly 25 MB is transcribed and one byte more is refused, also over HTTP", async () => {
    const { baseURL } = await startTestServer();
    const send = (sizeBytes: number) =>
      fetch(`${baseURL}/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}` },
        body: uploadForm({ model: "whisper-1" }, new Blob([new Uint8Array(wavBytes(sizeBytes))])),
      });
    expect((await send(maxUploadBytes)).status).toBe(200);
    expect((await send(maxUploadBytes + 1)).status).toBe(413);
  });

  it.each([
    ["its length given", true],
    ["its length not given", false],
  ])("of 40 MB is refused with a readable response, with %s", async (_name, lengthGiven) => {
    const server = await startTestServer();
    const raw = await openRawConnection(server.port);
    const long = Buffer.concat([Buffer.from(fileHead), wavBytes(40_000_000), Buffer.from(formEnd)]);
    const length: Record<string, string> = lengthGiven
      ? { "content-length": `${long.length}` }
      : { "transfer-encoding": "chunked" };
    await raw.send(head("POST", uploadPath, { ...formType, ...length }));
    for (let at = 0; at < long.length; at += 1_000_000) {
      const chunk = long.subarray(at, at + 1_000_000);
      await raw.send(lengthGiven ? chunk : chunked(chunk));
    }
    if (!lengthGiven) await raw.send("0\r\n\r\n");
    expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 413 /);
    // The connection is still usable: it serves the next request.
    await raw.send(head("GET", "/v1/models"));
    await raw.waitFor('"object":"list"');
    expect(await server.tempFiles()).toEqual([]);
  });

  it("that never ends is cut off", async () => {
    const server = await startTestServer({
      limits: { body: { idleMs: 1000, drainBytes: 2_000_000, drainMs: 1000 } },
    });
    const raw = await openRawConnection(server.port);
    await raw.send(head("POST", uploadPath, { ...formType, "transfer-encoding": "chunked" }));
    await raw.send(chunked(`${fileHead}no recording`.padEnd(20_000)));
    await raw.sendUntilClosed(chunked(Buffer.alloc(500_000)));
    expect(server.channel.transcriptionJobs).toEqual([]);
  });

  it("without the key leaves the connection usable, although its rest comes after the 401", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    for (let turn = 0; turn < 3; turn += 1) {
      const refused = raw.waitFor(
        new RegExp(`(HTTP/1\\.1 401 [\\s\\S]*?\\}\\}[\\s\\S]*){${turn + 1}}$`),
      );
      await raw.send(
        Buffer.concat([
          Buffer.from(
            head("POST", uploadPath, {
              ...formType,
              "content-length": `${wholeForm.length}`,
              authorization: "Bearer wrong",
            }),
          ),
          wholeForm.subarray(0, 1000),
        ]),
      );
      await refused;
      await raw.send(wholeForm.subarray(1000));
    }
    await raw.send(head("GET", "/v1/models"));
    expect(await raw.waitFor('"object":"list"')).toContain("HTTP/1.1 200 OK");
  });

  it("without the key is cut off after the 401 if it never ends", async () => {
    const server = await startTestServer({ wire: { maxUnreadBytes: 1_000_000, maxUnreadMs: 100 } });
    const raw = await openRawConnection(server.port);
    await raw.send(
      head("POST", uploadPath, {
        ...formType,
        "transfer-encoding": "chunked",
        authorization: "Bearer wrong",
      }),
    );
    expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 401 /);
    await raw.sendUntilClosed(chunked(Buffer.alloc(500_000)));
    expect(await server.tempFiles()).toEqual([]);
  });
});

describe("an invalid request", () => {
  it("gets an error in the same schema as all others", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send("GARBAGE\r\n\r\n");
    const answer = await raw.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
      error: {
        message: "The request is not valid HTTP.",
        type: "invalid_request_error",
        param: null,
      },
    });
  });

  it("without the end of its headers gets 408", async () => {
    const { port } = await startTestServer({ wire: { headersMs: 100 } });
    const raw = await openRawConnection(port);
    await raw.send("GET /v1/models HTTP/1.1\r\nhost: 127.0");
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
  });

  it("with too large headers gets 431", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(head("GET", "/v1/models", { "x-long": "x".repeat(100_000) }));
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 431 [\s\S]*"error"/);
  });

  it.each(["host: not a host\r\n", "host:\r\n", ""])(
    "with an invalid Host (%j) gets 400",
    async (line) => {
      const { port } = await startTestServer();
      const raw = await openRawConnection(port);
      await raw.send(`GET /v1/models HTTP/1.1\r\n${line}\r\n`);
      expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: req_/);
    },
  );

  it("with two Host headers gets 400", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(
      head("GET", "/v1/models").replace(
        "host: 127.0.0.1\r\n",
        "host: 127.0.0.1\r\nHost: evil.example\r\n",
      ),
    );
    expect(await raw.waitFor(errorArrived)).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*x-request-id: req_[\s\S]*more than one Host/,
    );
  });

  it("with an unknown Expect gets 417", async () => {
    const { port } = await startTestServer();
    const raw = await openRawConnection(port);
    await raw.send(head("GET", "/v1/models", { expect: "a-miracle" }));
    expect(await raw.waitFor(errorArrived)).toMatch(
      /^HTTP\/1\.1 417 [\s\S]*x-request-id: req_[\s\S]*"type":"invalid_request_error"/,
    );
  });

  it.each(["/v1/models", "/docs", "/openapi.json", "/health"])(
    "HEAD %s returns the length of GET's body",
    async (path) => {
      const server = await startTestServer();
      const raw = await openRawConnection(server.port);
      await raw.send(
        head("HEAD", path, { connection: "close" }).replace(
          "127.0.0.1",
          `127.0.0.1:${server.port}`,
        ),
      );
      const address = `http://127.0.0.1:${server.port}${path}`;
      const got = await fetch(address, { headers: { authorization: `Bearer ${testKey}` } });
      expect((await raw.closed).toLowerCase()).toMatch(
        new RegExp(
          `^http/1\\.1 200 [\\s\\S]*\r\ncontent-length: ${got.headers.get("content-length")}\r\n[\\s\\S]*\r\n\r\n$`,
        ),
      );
    },
  );

  it("with a foreign host name gets 403, in the header and in the request target", async () => {
    const { port } = await startTestServer();
    for (const request of [
      head("GET", "/docs").replace("host: 127.0.0.1", "host: rebound.example"),
      head("GET", "http://rebound.example/docs"),
    ]) {
      const raw = await openRawConnection(port);
      await raw.send(request);
      expect(await raw.waitFor(errorArrived)).toMatch(/^HTTP\/1\.1 403 /);
    }
  });
});

describe("a streamed response", () => {
  it("that fails ends the connection without the last chunk", async () => {
    const { port } = await startTestServer({
      script: {
        async *synthesize(): AsyncGenerator<SpeechChunk> {
          yield { bytes: Buffer.from("first"), audioSec: 1, progress: 0.5 };
          throw new Error("the engine stopped");
        },
      },
    });
    const raw = await openRawConnection(port);
    await raw.send(speechRequest);
    const all = await raw.closed;
    expect(all).toContain("\r\n\r\n5\r\nfirst\r\n");
    expect(all).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(all).not.toContain("stopped");
  });

  it("waits for a slow reader", async () => {
    let madeBytes = 0;
    const { port } = await startTestServer({
      script: {
        async *synthesize(): AsyncGenerator<SpeechChunk> {
          for (let at = 0; at < 500; at += 1) {
            madeBytes += 100_000;
            yield { bytes: Buffer.alloc(100_000), audioSec: at, progress: at / 500 };
          }
        },
      },
    });
    const raw = await openRawConnection(port);
    raw.socket.pause();
    await raw.send(speechRequest.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
    let before = -1;
    await expect
      .poll(() => before === (before = madeBytes) && madeBytes > 0, { interval: 100 })
      .toBe(true);
    expect(madeBytes).toBeLessThan(30_000_000);
    raw.socket.resume();
    expect((await raw.closed).length).toBeGreaterThan(50_000_000);
  });
});

describe("the listener", () => {
  it("uses the next free port when the requested one is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const taken = (other.address() as AddressInfo).port;
    const listener = await listen({
      handle: async () => new Response("here"),
      host: "127.0.0.1",
      port: taken,
      log: createLog("silent"),
    });
    onTestFinished(() => listener.close());
    expect(listener.port).toBeGreaterThan(taken);
    expect(await (await fetch(`http://127.0.0.1:${listener.port}/`)).text()).toBe("here");
  });

  it("reports why it cannot listen", async () => {
    const impossible = listen({
      handle: async () => new Response(),
      host: "192.0.2.1",
      port: 0,
      log: createLog("silent"),
    });
    await expect(impossible).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
  });

  it("closes idle connections at once", async () => {
    const server = await startTestServer();
    const raw = await openRawConnection(server.port);
    await raw.send(head("GET", "/v1/models"));
    await raw.waitFor('"list"');
    await Promise.all([server.listener.close(), raw.closed]);
    await expect(fetch(server.baseURL)).rejects.toThrow("fetch failed");
  });

  it("lets a response complete on closing, then ends its connection", async () => {
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const server = await startTestServer({
      wire: { closeMs: 30_000 },
      script: {
        async *transcribe(): AsyncGenerator<TranscriptionEvent> {
          began.resolve();
          await gate.promise;
          yield {
            type: "done",
            transcript: {
              language: "english",
              durationSec: 1,
              text: "late",
              segments: [],
              failed: [],
            },
          };
        },
      },
    });
    const raw = await openRawConnection(server.port);
    await raw.send(
      Buffer.concat([
        Buffer.from(
          head("POST", uploadPath, { ...formType, "content-length": `${wholeForm.length}` }),
        ),
        wholeForm,
      ]),
    );
    await began.promise;
    const closed = server.listener.close();
    gate.resolve();
    expect(await raw.closed).toContain('"text":"late"');
    await closed;
  });

  it("ends a response that takes too long on closing", async () => {
    const server = await startTestServer({
      wire: { closeMs: 50 },
      script: {
        async *synthesize(_job, signal): AsyncGenerator<SpeechChunk> {
          yield { bytes: Buffer.from("first"), audioSec: 1, progress: 0.5 };
          await rejectOnAbort(signal);
        },
      },
    });
    const raw = await openRawConnection(server.port);
    await raw.send(speechRequest);
    await raw.waitFor("first");
    await server.listener.close();
    expect(await raw.closed).not.toMatch(/\r\n0\r\n\r\n$/);
  });
});
