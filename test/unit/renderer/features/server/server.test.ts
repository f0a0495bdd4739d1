import { describe, expect, it } from "vitest";
import { docsUrl, networkUrls } from "../../../../../renderer/features/server/addresses.ts";
import { parseBudget } from "../../../../../renderer/features/server/budget.ts";
import { callerName } from "../../../../../renderer/features/server/caller-name.ts";
import {
  codeLanguages,
  codeSample,
  codeTasks,
} from "../../../../../renderer/features/server/code-samples.ts";
import { matches } from "../../../../../renderer/features/server/log-filter.ts";
import { qrPath } from "../../../../../renderer/features/server/qr-path.ts";
import { dailyValues, lastDays } from "../../../../../renderer/features/server/usage-days.ts";

it("finds the page of the API and the addresses for other machines", () => {
  expect(docsUrl("http://127.0.0.1:4343/v1")).toBe("http://127.0.0.1:4343/docs");
  expect(networkUrls({ addresses: ["10.0.0.2", "fd00::1"], port: 4343 })).toEqual([
    "http://10.0.0.2:4343/v1",
    "http://[fd00::1]:4343/v1",
  ]);
});

it("parses a budget as people type it", () => {
  expect(["", " 5 ", "12,50", "$3", "-1", "much", "1e9", "1000001"].map(parseBudget)).toEqual([
    undefined,
    5,
    12.5,
    3,
    "wrong",
    "wrong",
    "wrong",
    "wrong",
  ]);
});

it("generates code samples with the user's own address and key", () => {
  const place = { baseUrl: "http://127.0.0.1:4343/v1", key: "hs-secret" };
  for (const language of codeLanguages) {
    for (const task of codeTasks) {
      const code = codeSample(language, task, place);
      expect(code).toContain(place.baseUrl);
      expect(code).toContain(place.key);
    }
  }
});

describe("usage over days", () => {
  const sum = {
    group: "2026-11-20",
    requests: 3,
    failed: 0,
    audioSec: 90,
    characters: 0,
    receivedBytes: 0,
    sentBytes: 0,
    spentUsd: 0,
    savedUsd: 0,
    unpriced: 0,
  };

  it("ends today and handles months and clock changes", () => {
    expect(lastDays(3, new Date(2026, 2, 1, 0, 5))).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
    ]);
    expect(new Set(lastDays(90, new Date(2026, 10, 21, 23, 59))).size).toBe(90);
  });

  it("has a value for every day", () => {
    expect(dailyValues(["2026-11-19", "2026-11-20"], [sum], "transcribed")).toEqual([
      { day: "2026-11-19", value: 0 },
      { day: "2026-11-20", value: 1.5 },
    ]);
  });
});

it("filters the log by kind, failure and words", () => {
  const request = {
    atMs: 0,
    key: "k1 Home",
    endpoint: "speech",
    model: "tts-1",
    channel: "Groq",
    status: 429,
    durationMs: 5,
  };
  const all = { endpoint: "", onlyFailed: false, text: "" };
  expect(matches(request, all)).toBe(true);
  expect(matches(request, { ...all, onlyFailed: true, text: " home " })).toBe(true);
  expect(matches({ ...request, status: 200 }, { ...all, onlyFailed: true })).toBe(false);
  expect(matches(request, { ...all, endpoint: "transcriptions" })).toBe(false);
  expect(matches(request, { ...all, text: "openai" })).toBe(false);
});

it("names a caller by the name of its key, or by its kind", () => {
  const names = new Map([["k1", "Home Assistant"]]);
  expect(
    ["k1", "window", "gone"].map((key) => callerName(key, names, () => "This window", ["window"])),
  ).toEqual(["Home Assistant", "This window", "gone"]);
});

it("draws each dark module of a QR code as a square", () => {
  expect(
    qrPath([
      [true, false],
      [false, true],
    ]),
  ).toBe("M0 0h1v1h-1zM1 1h1v1h-1z");
});
