import { expect, it } from "vitest";
import { AppError } from "../../../main/contract/errors.ts";
import { describeError, messagesFor, translateSent } from "../../../main/electron/messages.ts";

it("describes an error in the language of the window, and others by their own text", () => {
  const error = new AppError("item.noAudio");
  expect(
    (["en", "de", "fr"] as const).map((language) =>
      describeError(error, messagesFor(language, "en")),
    ),
  ).toEqual([
    "This item has no audio.",
    "Dieser Eintrag hat kein Audio.",
    "Cet élément n’a pas d’audio.",
  ]);
  expect(describeError(new Error("EBADF"), messagesFor("de", "en"))).toBe("EBADF");
});

it("translates the reason of another process by its id, and shows one without an id as it is", () => {
  const texts = messagesFor("de", "en");
  expect(translateSent({ message: "No audio.", id: "item.noAudio" }, texts)).toBe(
    "Dieser Eintrag hat kein Audio.",
  );
  expect(translateSent({ message: "No audio." }, texts)).toBe("No audio.");
});
