import { expect, it } from "vitest";
import {
  createEventReader,
  encodeEvent,
  eventLimits,
} from "../../../../main/server/wyoming/wire-format.ts";

const event = (type: string, data = {}, payload = Buffer.of()) => ({ type, data, payload });
const text = (bytes: string) => Buffer.from(bytes);

it("writes a header line with the lengths of what follows", () => {
  expect(Buffer.from(encodeEvent("describe")).toString()).toBe('{"type":"describe"}\n');
  expect(Buffer.from(encodeEvent("x", { t: "ü" }, text("abc"))).toString()).toBe(
    '{"type":"x","data_length":10,"payload_length":3}\n{"t":"ü"}abc',
  );
});

it("reads events however they are cut", () => {
  const written = [
    encodeEvent("audio-chunk", { rate: 16_000, text: "grün\n" }, Buffer.from([10, 0, 10])),
    encodeEvent("describe"),
    encodeEvent("audio-chunk", {}, Buffer.from([1])),
  ];
  const expected = [
    event("audio-chunk", { rate: 16_000, text: "grün\n" }, Buffer.from([10, 0, 10])),
    event("describe"),
    event("audio-chunk", {}, Buffer.from([1])),
  ];
  const bytes = Buffer.concat(written);
  for (const size of [1, 2, 7, 1000]) {
    const reader = createEventReader();
    const read = [];
    for (let from = 0; from < bytes.length; from += size)
      read.push(...reader.push(bytes.subarray(from, from + size)));
    expect(read.map((one) => ({ ...one, payload: Buffer.from(one.payload) }))).toEqual(expected);
  }
});

it("reads data in the header, beside it, and both", () => {
  const reader = createEventReader();
  const read = reader.push(
    text(
      '{"type":"a","data":{"x":1}}\n' +
        '{"type":"b","data":{"x":1,"y":1},"data_length":7,"version":"1.0"}\n{"x":2}' +
        '{"type":"c","data":null,"data_length":null,"payload_length":null}\n',
    ),
  );
  expect(read.map(({ type, data }) => [type, data])).toEqual([
    ["a", { x: 1 }],
    ["b", { x: 2, y: 1 }],
    ["c", {}],
  ]);
});

it.each([
  ["no JSON", "GET / HTTP/1.1\r\n", "not an event"],
  ["no object", "[1]\n", "not an event"],
  ["no type", '{"data":{}}\n', "not an event"],
  ["a negative length", '{"type":"x","data_length":-1}\n', "not an event"],
  ["a broken length", '{"type":"x","payload_length":1.5}\n', "not an event"],
  ["an endless length", '{"type":"x","payload_length":1e300}\n', "not an event"],
  ["data that is no object", '{"type":"x","data_length":4}\nnull', "not an event"],
  ["nested data", `{"type":"x","data":${"[".repeat(100)}${"]".repeat(100)}}\n`, "nested too deep"],
  ["long data", `{"type":"x","data_length":${eventLimits.dataBytes + 1}}\n`, "in its data"],
  [
    "a long payload",
    `{"type":"x","payload_length":${eventLimits.payloadBytes + 1}}\n`,
    "in its payload",
  ],
  ["an endless header", "x".repeat(eventLimits.headerBytes + 1), "in its header"],
])("refuses %s", (_, bytes, reason) => {
  expect(() => createEventReader().push(text(bytes))).toThrow(reason);
});

it("refuses a header that grows without end", () => {
  const reader = createEventReader();
  const chunk = Buffer.alloc(1000, "x");
  expect(() => {
    for (let sent = 0; sent <= eventLimits.headerBytes; sent += chunk.length) reader.push(chunk);
  }).toThrow("in its header");
});
