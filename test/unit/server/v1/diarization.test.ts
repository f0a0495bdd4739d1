// Who speaks, in the responses of /v1: with the speakers scripted, and text from a channel.

import { expect, it, vi } from "vitest";
import { AppError } from "../../../../main/contract/errors.ts";
import {
  diarizedTranscriptionResponse,
  verboseTranscriptionResponse,
} from "../../../../main/contract/openai.ts";
import type { FindSpeakers, SpeakerTurn } from "../../../../main/contract/speakers.ts";
import { createMessage } from "../../../../main/contract/messages/messages.ts";
import type { Pool } from "../../../../main/engines/pool/pool.ts";
import { createDiarization } from "../../../../main/inference/local-diarization.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { labelSpeakers } from "../../../../main/inference/speaker-labels.ts";
import {
  createTestGateway,
  type TestGateway,
  uploadForm,
  wavBytes,
} from "../../../support/gateway-server.ts";

const path = "/v1/audio/transcriptions";
const post = (fields: Record<string, string>) => ({
  method: "POST",
  body: uploadForm({ model: "whisper-1", ...fields }),
});

/** The fake channel says "Hear what is said." until 1.5 s, and "And say it again." from 1.75 s. */
const turns: SpeakerTurn[] = [
  { fromSec: 0, toSec: 1.8, speaker: 0 },
  { fromSec: 1.8, toSec: 3.3, speaker: 1 },
];

function openGateway(
  findSpeakers: FindSpeakers = async () => ({ turns, prints: [] }),
  check = () => {},
): Promise<TestGateway> {
  return createTestGateway({
    router: {
      labelSpeakers: {
        check,
        label: (events, job, signal) => labelSpeakers({ findSpeakers }, events, job, signal),
      },
    },
  });
}

const inBrief = (segments: readonly { speaker?: string | undefined; text: string }[]): string[] =>
  segments.map(({ speaker, text }) => `${speaker}: ${text.trim()}`);

it("diarized_json has the segments of each speaker, split where another one begins", async () => {
  const { request, channel, tempFiles } = await openGateway();
  const response = await request(path, post({ response_format: "diarized_json" }));
  const body = diarizedTranscriptionResponse.strict().parse(await response.json());
  expect(inBrief(body.segments)).toEqual(["A: Hear what is said.", "B: And say it again."]);
  expect(body).toMatchObject({ task: "transcribe", duration: 3.32, usage: { seconds: 4 } });
  expect(body.segments[1]).toEqual({
    type: "transcript.text.segment",
    id: "seg_1",
    start: 1.75,
    end: 3.32,
    text: "And say it again.",
    speaker: "B",
  });
  expect(channel.transcriptionJobs[0]).toMatchObject({ wordTimes: true, isBestEffort: true });
  expect(await tempFiles()).toEqual([]);
});

it("streams segments with their speakers, and the text at the end", async () => {
  const { request, tempFiles } = await openGateway();
  const response = await request(path, post({ response_format: "diarized_json", stream: "true" }));
  const events = Array.from(
    (await response.text()).matchAll(/^data: (.*)$/gm),
    ([, json]) => JSON.parse(json ?? "") as { type: string; speaker?: string; text: string },
  );
  expect(events.map(({ type }) => type)).toEqual([
    "transcript.text.segment",
    "transcript.text.segment",
    "transcript.text.done",
  ]);
  expect(inBrief(events.slice(0, 2))).toEqual(["A: Hear what is said.", "B: And say it again."]);
  expect(await tempFiles()).toEqual([]);
});

it("verbose_json names speakers only if asked to, also of words", async () => {
  const { request } = await openGateway(async () => ({
    turns: [
      { fromSec: 0, toSec: 0.95, speaker: 0 },
      { fromSec: 1, toSec: 3.3, speaker: 1 },
    ],
    prints: [],
  }));
  const read = async (fields: Record<string, string>) =>
    verboseTranscriptionResponse
      .strict()
      .parse(
        await (await request(path, post({ response_format: "verbose_json", ...fields }))).json(),
      );
  const times = { "timestamp_granularities[]": "word" };
  expect((await read({})).segments?.some((segment) => "speaker" in segment)).toBe(false);
  expect((await read({ ...times })).words?.some((word) => "speaker" in word)).toBe(false);
  expect(inBrief((await read({ diarize: "true" })).segments ?? [])).toEqual([
    "A: Hear what",
    "B: is said.",
    "B: And say it again.",
  ]);
  const { words = [] } = await read({ ...times, diarize: "true" });
  expect(words.map(({ speaker }) => speaker).join("")).toBe("AABBBBBB");
});

it.each([
  ["/v1/audio/translations", { response_format: "diarized_json" }, "response_format"],
  [path, { diarize: "true" }, "diarize"],
  [path, { diarize: "perhaps", response_format: "verbose_json" }, "diarize"],
])("%s refuses %o by the field's name", async (endpoint, fields, param) => {
  const { request } = await openGateway();
  const response = await request(endpoint, post(fields));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

it.each([
  ["left out of the installation", undefined],
  [
    "damaged",
    { ...shippedModel("pyannote-community-1"), damaged: createMessage("transcription.unexpected") },
  ],
])("says so before anything is transcribed where the model is %s", async (_, model) => {
  const { check } = createDiarization({
    pool: {} as Pool,
    vad: shippedModel("silero-vad"),
    diarizer: () => model,
    tempDir: () => "",
  });
  const { request, channel } = await openGateway(undefined, check);
  const response = await request(path, post({ response_format: "diarized_json" }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: {
      param: "response_format",
      message: "Speakers cannot be told apart: this installation comes without the model for it.",
    },
  });
  expect(channel.transcriptionJobs).toEqual([]);
});

it("fails if the speakers cannot be found, and finds none if nobody asks", async () => {
  const find = vi.fn<FindSpeakers>(() =>
    Promise.reject(new AppError("audio.undecodable", {}, { param: "file" })),
  );
  const { request } = await openGateway(find);
  expect((await request(path, post({ response_format: "verbose_json" }))).status).toBe(200);
  expect(find).not.toHaveBeenCalled();
  expect((await request(path, post({ response_format: "diarized_json" }))).status).toBe(400);
});

const dataUrl = `data:audio/wav;base64,${Buffer.from(wavBytes()).toString("base64")}`;

function knownForm(
  names: readonly string[],
  references: readonly string[],
  format = "diarized_json",
) {
  const form = uploadForm({ model: "whisper-1", response_format: format });
  for (const name of names) form.append("known_speaker_names[]", name);
  for (const reference of references) form.append("known_speaker_references[]", reference);
  return { method: "POST", body: form };
}

const axis = (index: number): Float32Array =>
  Float32Array.from({ length: 4 }, (_, i) => (i === index ? 1 : 0.2));

it("gives speakers the names of those whose recordings sound like them", async () => {
  const diarized: string[] = [];
  const { request, tempFiles } = await openGateway(async ({ mediaPath }) => {
    diarized.push(mediaPath);
    return mediaPath.includes("known-speaker")
      ? { turns: [{ fromSec: 0, toSec: 3, speaker: 0 }], prints: [axis(1)] }
      : { turns, prints: [axis(0), axis(1)] };
  });
  const response = await request(path, knownForm(["Ann"], [dataUrl]));
  const { segments } = diarizedTranscriptionResponse.parse(await response.json());
  expect(inBrief(segments)).toEqual(["A: Hear what is said.", "Ann: And say it again."]);
  expect(diarized).toHaveLength(2);
  expect(await tempFiles()).toEqual([]);
});

it.each([
  ["more than four", Array(5).fill("Ann"), Array(5).fill(dataUrl), "known_speaker_names"],
  ["more than four recordings", ["Ann"], Array(5).fill(dataUrl), "known_speaker_references"],
  ["a name without a recording", ["Ann", "Bob"], [dataUrl], "known_speaker_names"],
  ["a recording in another place", ["Ann", ""], ["", dataUrl], "known_speaker_names"],
  ["a blank name", [" "], [dataUrl], "known_speaker_names"],
  ["a recording without a name", [], [dataUrl], "known_speaker_references"],
  ["what is no data URL", ["Ann"], ["https://example.com/ann.wav"], "known_speaker_references"],
  ["a silent recording", ["Ann"], [dataUrl], "known_speaker_references"],
] as [string, string[], string[], string][])(
  "of known speakers refuses %s",
  async (_, names, references, param) => {
    const { request, channel, tempFiles } = await openGateway(async () => ({
      turns: [],
      prints: [],
    }));
    const response = await request(path, knownForm(names, references));
    expect(channel.transcriptionJobs).toEqual([]);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
    expect(await tempFiles()).toEqual([]);
  },
);

it("leaves out places that are empty in both lists", async () => {
  const { request } = await openGateway(async () => ({ turns, prints: [axis(0), axis(1)] }));
  const response = await request(path, knownForm(["", "Ann"], ["", dataUrl]));
  expect(inBrief(diarizedTranscriptionResponse.parse(await response.json()).segments)).toEqual([
    "Ann: Hear what is said.",
    "A: And say it again.",
  ]);
});

/** Status and message where the recordings of known speakers cannot be used. */
async function answerTo(error: AppError): Promise<[number, string]> {
  const { request, tempFiles } = await openGateway(async ({ mediaPath }) => {
    if (mediaPath.includes("known-speaker")) throw error;
    return { turns, prints: [] };
  });
  const response = await request(path, knownForm(["Ann", "Bob"], [dataUrl, dataUrl]));
  expect(await tempFiles()).toEqual([]);
  const { error: sent } = (await response.json()) as { error: { message: string } };
  return [response.status, sent.message];
}

it("tells faults of a known speaker's recording from others", async () => {
  expect(await answerTo(new AppError("audio.tooShort", { min: 0.1 }))).toEqual([
    400,
    expect.stringContaining("less than a second of speech"),
  ]);
  expect(await answerTo(new AppError("audio.undecodable"))).toEqual([
    400,
    expect.stringContaining("must be audio"),
  ]);
  expect((await answerTo(new AppError("storage.full")))[0]).toBe(507);
});

it("takes known speakers with diarized_json only", async () => {
  const { request } = await openGateway();
  const response = await request(path, knownForm(["Ann"], [dataUrl], "json"));
  expect(response.status).toBe(400);
});
