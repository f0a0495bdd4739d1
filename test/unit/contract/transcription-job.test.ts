import { expect, it } from "vitest";
import { createTranscriptionJob } from "../../../main/contract/transcription-job.ts";

const request = { model: "whisper-1", mediaPath: "/talk.mp3" };

it("has the same defaults for every caller", () => {
  expect(createTranscriptionJob({ ...request, prompt: "", language: undefined })).toEqual({
    task: "transcribe",
    model: "whisper-1",
    mediaPath: "/talk.mp3",
    temperature: 0,
    wordTimes: false,
  });
});

it("has the code of a language given by name", () => {
  expect(createTranscriptionJob({ ...request, language: "German" }).language).toBe("de");
});

it("is data alone, which can be copied", () => {
  const job = createTranscriptionJob({
    ...request,
    mediaBytes: new Uint8Array([1]),
    extraFields: new Map([["hotwords", ["Hearsay"]]]),
  });
  expect(structuredClone(job)).toEqual(job);
});

it("is refused in an unknown language", () => {
  expect(() => createTranscriptionJob({ ...request, language: "k".repeat(60) })).toThrow(
    expect.objectContaining({
      key: "invalid_value",
      param: "language",
      message: expect.stringContaining(`'${"k".repeat(40)}'`),
    }),
  );
});
