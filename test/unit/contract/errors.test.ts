import { describe, expect, it } from "vitest";
import { AppError, restoreError, serializeError } from "../../../main/contract/errors.ts";
import { createMessage } from "../../../main/contract/messages/messages.ts";

describe("an error", () => {
  it("has the key, the status and the English text of its message", () => {
    const error = new AppError("item.unknown", { id: "abc" }, { param: "id" });
    expect(error).toMatchObject({
      key: "not_found",
      row: { status: 404, code: "not_found" },
      param: "id",
      message: "There is no item 'abc' in the library. It may have been removed.",
      sent: { id: "item.unknown", params: { id: "abc" } },
    });
  });

  it("passes on text from elsewhere, with a key of its own", () => {
    const error = new AppError("verbatim", { text: "Slow {down}." }, { key: "upstream_error" });
    expect(error).toMatchObject({ key: "upstream_error", message: "Slow {down}." });
  });

  it("keeps everything for the caller on its way between processes", () => {
    const why = createMessage("language.notEnglish");
    const error = new AppError(
      "language.noTranslation",
      { why, others: "" },
      { param: "file", retryAfterSec: 2 },
    );
    const { message, key, row, sent, param, retryAfterSec } = error;
    expect(restoreError(structuredClone(serializeError(error)))).toMatchObject({
      message,
      key,
      row,
      sent,
      param,
      retryAfterSec,
    });
  });

  it("that callers may not see arrives as text only", () => {
    const restored = restoreError(serializeError(new RangeError("odd")));
    expect(restored).not.toBeInstanceOf(AppError);
    expect(restored.message).toContain("RangeError: odd");
  });
});

describe("a message", () => {
  it("inserts parameters once, groups numbers where its text says so, and may contain messages", () => {
    expect(createMessage("channel.nameTaken", { name: "{other}", other: "b" }).message).toBe(
      "The name '{other}' is taken by the channel 'b'.",
    );
    expect(createMessage("narration.tooLong", { max: 2_000_000 }).message).toContain("2,000,000");
    const known = createMessage("model.known", { models: "'y'" });
    expect(createMessage("model.unknown", { model: "x", known })).toEqual({
      message: "The model 'x' does not exist. Available here: 'y'.",
      id: "model.unknown",
      params: { model: "x", known },
    });
  });
});
