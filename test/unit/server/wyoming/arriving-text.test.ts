import { expect, it } from "vitest";
import {
  createArrivingText,
  maxTextLength,
} from "../../../../main/server/wyoming/arriving-text.ts";

it("gives sentences as soon as the next one begins, and the last one at the end", async () => {
  const text = createArrivingText("en");
  const sentences = text.sentences();
  for (const chunk of ["Dr. Le", "e came. At", " 3.5 deg", "rees."]) text.add(chunk);
  expect((await sentences.next()).value).toBe("Dr. Lee came. ");
  const last = sentences.next();
  text.add(" ");
  text.end();
  expect((await last).value).toBe("At 3.5 degrees. ");
  expect((await sentences.next()).done).toBe(true);
});

it("gives what arrived while nobody asked at once", async () => {
  const text = createArrivingText(undefined);
  text.add("One. Two. Three. Four");
  const sentences = text.sentences();
  expect((await sentences.next()).value).toBe("One. Two. Three. ");
});

it("says whether it waits for text", async () => {
  const text = createArrivingText("en");
  const first = text.sentences().next();
  expect(text.isWaiting).toBe(true);
  text.add("One. Two");
  await first;
  expect(text.isWaiting).toBe(false);
});

it("gives nothing for white space", async () => {
  const text = createArrivingText("en");
  text.add(" \n ");
  text.end();
  expect((await text.sentences().next()).done).toBe(true);
});

it("refuses text without end", () => {
  const text = createArrivingText("en");
  text.add("x".repeat(maxTextLength));
  expect(() => text.add("x")).toThrow(`at most ${maxTextLength} characters`);
});

it("does not keep long white space to search it again", async () => {
  const text = createArrivingText("en");
  text.add("\n".repeat(3000));
  text.add("Then this.");
  text.end();
  expect((await text.sentences().next()).value?.trim()).toBe("Then this.");
});
