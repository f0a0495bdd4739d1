import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EventSource } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMessage } from "../../../../main/contract/messages/messages.ts";
import type { AppEvent } from "../../../../main/contract/app-event.ts";
import { toQueryString, toApiError, request } from "../../../../renderer/api/client.ts";
import { ApiError } from "../../../../renderer/api/error.ts";
import { loadMessages } from "../../../../renderer/messages/messages.ts";
import { createEventStream } from "../../../../renderer/api/events.ts";
import { fileName } from "../../../../renderer/api/binary.ts";

let answer: (message: IncomingMessage, response: ServerResponse) => void = () => undefined;
const server = createServer((message, response) => answer(message, response));
let origin = "";
beforeEach(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

describe("a request", () => {
  it("that is rejected fails with the app's message", async () => {
    answer = (_, response) =>
      response.writeHead(404).end(
        JSON.stringify({
          error: { message: "There is no such item.", code: "not_found", param: "id" },
        }),
      );
    await expect(request(origin)).rejects.toMatchObject({
      status: 404,
      code: "not_found",
      message: "There is no such item.",
      param: "id",
    });
  });

  it("that is rejected fails with the message in the language of the window", async () => {
    const { message, id, params } = createMessage("key.unknown", { name: "phone" });
    answer = (_, response) =>
      response.writeHead(404).end(JSON.stringify({ error: { message, id, params } }));
    await loadMessages("de");
    await expect(request(origin)).rejects.toThrow("Einen API-Schlüssel „phone“ gibt es nicht.");
    await loadMessages("en");
    await expect(request(origin)).rejects.toThrow("There is no API key 'phone'.");
  });

  it("without a response fails with an error of its own", async () => {
    server.closeAllConnections();
    await expect(request("http://127.0.0.1:1")).rejects.toMatchObject({
      status: 0,
      code: "offline",
    });
  });

  it("that was aborted is not reported as a failure of the app", async () => {
    answer = () => undefined;
    const stop = new AbortController();
    const pending = request(origin, { signal: stop.signal });
    stop.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
  });

  it("with a response that is not the app's fails with its status", () => {
    expect(toApiError(502, "<html>")).toMatchObject({ status: 502, code: "unreadable" });
    expect(toApiError(500, "null")).toBeInstanceOf(ApiError);
  });
});

describe("a query", () => {
  it("omits undefined values and keeps false and zero", () => {
    expect(toQueryString({ a: undefined, b: false, c: 0, d: "x y" })).toBe("?b=false&c=0&d=x+y");
    expect(toQueryString({})).toBe("");
  });
});

describe("the name of a file", () => {
  it("is taken from the header, preferably from its encoded form", () => {
    expect(fileName(`attachment; filename="B_cher.zip"; filename*=UTF-8''B%C3%BCcher.zip`)).toBe(
      "Bücher.zip",
    );
    expect(fileName('attachment; filename="a.mp3"')).toBe("a.mp3");
    expect(fileName(null)).toBeUndefined();
  });
});

describe("the stream of events", () => {
  it("passes on events that the contract defines, and reconnects after an interruption", async () => {
    let connections = 0;
    answer = (_, response) => {
      connections += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"type":"from the future"}\n\n');
      response.write(`data: {"type":"item-removed","id":"${connections}"}\n\n`);
      if (connections === 1) response.end();
    };
    const stream = createEventStream(
      () => new EventSource(origin) as unknown as globalThis.EventSource,
    );
    const events: AppEvent[] = [];
    const states: boolean[] = [];
    stream.onState((isOpen) => states.push(isOpen));
    await new Promise<void>((resolve) => {
      stream.subscribe((event) => {
        events.push(event);
        if (events.length === 2) resolve();
      });
    });
    stream.close();
    expect(events).toEqual([
      { type: "item-removed", id: "1" },
      { type: "item-removed", id: "2" },
    ]);
    expect(states).toEqual([true, false, true]);
  });
});
