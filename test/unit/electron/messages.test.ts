import { expect, it } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import { describeError, messagesFor } from "../../../main/electron/messages.ts";

it("describes an error in the language of the window, and others by their own text", () => {
  const error = new AppError("item.noAudio");
  expect(
    (["en", "de"] as const).map((language) => describeError(error, messagesFor(language, "en"))),
  ).toEqual(["This item has no audio.", "Dieser Eintrag hat kein Audio."]);
  expect(describeError(new Error("EBADF"), messagesFor("de", "en"))).toBe("EBADF");
});
