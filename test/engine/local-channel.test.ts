// The built-in engines through the interface of channels: the results of a job, and the files it leaves.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openDecoder } from "../../main/audio/codec/decode.ts";
import { floatToPcm, joinSamples } from "../../main/audio/codec/pcm.ts";
import { splitSentences } from "../../main/text/sentences.ts";
import {
  audioFormats,
  type DecodedText,
  type SpeechJob,
  type TranscriptionEvent,
} from "../../main/contract/speech.ts";
import {
  transcriptionJob,
  neverAborted,
  openLocalChannel,
  type TestChannel,
  collectTranscript,
} from "../support/app.ts";
import { englishClips, hasSharedAudio } from "../support/recordings.ts";
import { tenSentences } from "../support/english-texts.ts";
import { silence, wavFile } from "../support/test-audio.ts";
import {
  resampleTo16kHz,
  detectFormat,
  openFolder,
  normalizeWords,
  audioDurationSec,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";
import { wordErrors } from "../support/word-error-rate.ts";

const folder = await openFolder();
const [story = "", shortText = ""] = [
  tenSentences.slice(0, tenSentences.indexOf("Most of")),
  "Good morning. How are you today?",
];
let opened: TestChannel;
let recording: string;
let shortRecording: string;

beforeAll(async () => {
  opened = await openLocalChannel();
  recording = await writeAudioFile(
    join(folder.path, "a story é ש 日本.mp3"),
    await synthesizeSamples(story),
  );
  shortRecording = await writeAudioFile(
    join(folder.path, "greeting.flac"),
    await synthesizeSamples(shortText, "onyx"),
  );
});
afterAll(async () => {
  await opened.close();
  await folder.remove();
});
afterEach(async () => {
  const left = await opened.leftovers();
  if (left.length > 0) throw new Error(`the job left ${left.join()} behind`);
});

const transcribe = (path: string, more = {}) =>
  opened.channel.transcribe(transcriptionJob(path, more), neverAborted());
const speechJob = (more: Partial<SpeechJob> = {}): SpeechJob => ({
  model: "tts-1",
  text: shortText,
  voice: "nova",
  speed: 1,
  format: "wav",
  ...more,
});

async function eventsOf(events: AsyncIterable<TranscriptionEvent>): Promise<TranscriptionEvent[]> {
  const seen: TranscriptionEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function synthesize(job: SpeechJob, signal = neverAborted()): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of opened.channel.synthesize(job, signal)) parts.push(bytes);
  return Buffer.concat(parts);
}

async function saveFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, bytes);
  return path;
}

describe("transcription", () => {
  it('reports segments in order of time, progress, and "done" once', async () => {
    const events = await eventsOf(transcribe(recording));
    expect(events.filter(({ type }) => type === "done")).toHaveLength(1);
    const last = events.at(-1);
    if (last?.type !== "done") throw new Error("done did not come last");
    const segments = events.flatMap((event) => (event.type === "segment" ? [event.segment] : []));
    expect(segments).toEqual(last.transcript.segments);
    expect(segments.length).toBeGreaterThan(1);
    expect(segments.map(({ startSec }) => startSec)).toEqual(
      segments.map(({ startSec }) => startSec).sort((a, b) => a - b),
    );
    const processedSecs = events.flatMap((event) =>
      event.type === "progress" ? [event.processedSec] : [],
    );
    expect(processedSecs).toEqual([...processedSecs].sort((a, b) => a - b));
    expect(processedSecs.at(-1)).toBeLessThanOrEqual(last.transcript.durationSec);
    expect(last.transcript).toMatchObject({
      language: "english",
      failed: [],
      text: segments.map(({ text }) => text).join(" "),
    });
  });

  it("returns what was said", async () => {
    const { text, durationSec } = await collectTranscript(transcribe(recording));
    expect(wordErrors(story, text).rate).toBeLessThan(0.05);
    expect(durationSec).toBeCloseTo(audioDurationSec(recording), 1);
  });

  it.skipIf(!hasSharedAudio)(
    "transcribes a speech by a president (needs ../shared/audio)",
    async () => {
      const jfk = englishClips().find(({ name }) => name === "jfk");
      const { text, durationSec } = await collectTranscript(transcribe(jfk?.path ?? ""));
      expect(normalizeWords(text)).toBe(normalizeWords(jfk?.text ?? ""));
      expect(durationSec).toBe(11);
    },
  );

  it("returns timestamps of words on request", async () => {
    const { segments } = await collectTranscript(transcribe(shortRecording, { wordTimes: true }));
    const words = segments.flatMap((segment) => segment.words ?? []);
    expect(normalizeWords(words.map(({ word }) => word).join(" "))).toBe(normalizeWords(shortText));
    expect(words.every(({ startSec, endSec }) => startSec <= endSec)).toBe(true);
  });

  it("returns no text for silence, with progress", async () => {
    const path = await saveFile("silence.wav", wavFile([silence(40, 16_000)], 16_000));
    const events = await eventsOf(transcribe(path));
    expect(events.filter(({ type }) => type === "progress").length).toBeGreaterThan(1);
    expect(events.at(-1)).toEqual({
      type: "done",
      transcript: { language: "english", durationSec: 40, text: "", segments: [], failed: [] },
    });
  });

  it("accepts English by any of its names, and refuses unknown languages", async () => {
    expect((await collectTranscript(transcribe(shortRecording, { language: "en" }))).language).toBe(
      "english",
    );
    const german = { model: "moonshine-base", language: "de" };
    expect(() => transcribe(shortRecording, german)).toThrow(
      expect.objectContaining({
        key: "unsupported_language",
        param: "language",
        message: expect.stringContaining("german") as string,
      }) as Error,
    );
    expect(() => transcribe(shortRecording, { ...german, task: "translate" })).toThrow(
      expect.objectContaining({ key: "unsupported_language" }) as Error,
    );
  });

  it("refuses what is not audio, too short audio, and a text-to-speech model", async () => {
    const text = await saveFile("letter.mp3", Buffer.from("Dear Sir or Madam, ".repeat(100)));
    const blip = await saveFile("blip.wav", wavFile([silence(0.05, 16_000)], 16_000));
    await expect(collectTranscript(transcribe(text))).rejects.toMatchObject({
      key: "undecodable_audio",
    });
    await expect(collectTranscript(transcribe(blip))).rejects.toMatchObject({
      key: "audio_too_short",
    });
    expect(() => transcribe(shortRecording, { model: "tts-1" })).toThrow(
      expect.objectContaining({ key: "unknown_model" }),
    );
    expect(() => transcribe(shortRecording, { model: "whisper-9" })).toThrow(
      expect.objectContaining({ key: "unknown_model" }),
    );
  });

  it("survives a consumer that stops reading while more segments are ready than may be queued", async () => {
    const once = await resampleTo16kHz(await synthesizeSamples(story));
    const path = await saveFile(
      "long.wav",
      wavFile([joinSamples(Array.from({ length: 12 }, () => once))], 16_000),
    );
    const abort = new AbortController();
    const leaving = async (): Promise<void> => {
      for await (const event of opened.channel.transcribe(transcriptionJob(path), abort.signal))
        if (event.type === "segment") abort.abort(new Error("gone"));
    };
    await expect(leaving()).rejects.toThrow("gone");
  });

  it("stops when the consumer leaves or aborts", async () => {
    for await (const event of transcribe(recording)) if (event.type === "segment") break;
    const abort = new AbortController();
    const events = opened.channel.transcribe(transcriptionJob(recording), abort.signal);
    const all = eventsOf(events);
    abort.abort(new Error("no longer wanted"));
    await expect(all).rejects.toThrow("no longer wanted");
    await expect(
      collectTranscript(
        opened.channel.transcribe(
          transcriptionJob(recording),
          AbortSignal.abort(new Error("never wanted")),
        ),
      ),
    ).rejects.toThrow("never wanted");
  });
});

describe("drafts", () => {
  it.each(["moonshine-base", "whisper-base"])(
    "by %s have the same text and times with what was heard before",
    async (model) => {
      const samples = await resampleTo16kHz(await synthesizeSamples(shortText));
      const draft = async (sec: number, earlier?: DecodedText) => {
        const pcmPath = join(folder.path, "draft.pcm");
        const pcm = floatToPcm(samples.subarray(0, sec * 16_000));
        await writeFile(pcmPath, pcm);
        const job = { task: "transcribe", model, language: "en", pcmPath } as const;
        return opened.channel.draft?.(
          { ...job, durationSec: pcm.length / 32_000, ...(earlier && { earlier }) },
          neverAborted(),
        );
      };
      const part = await draft(1.2);
      const whole = await draft(10);
      expect(normalizeWords(whole?.text ?? "")).toBe(normalizeWords(shortText));
      for (const earlier of [part, whole]) {
        const again = await draft(10, earlier?.decoded);
        expect(again?.text).toBe(whole?.text);
        for (const [index, { endSec }] of again?.words?.entries() ?? [])
          expect(endSec).toBeCloseTo(whole?.words?.[index]?.endSec ?? 0, 1);
      }
    },
  );
});

describe("speech", () => {
  it.each(audioFormats)("is generated as %s", async (format) => {
    expect(detectFormat(await synthesize(speechJob({ format })))).toBe(format);
  });

  it.each(["mp3", "opus", "flac", "wav"] as const)(
    "in %s lasts as long as its samples",
    async (format) => {
      const wholeSec = (await synthesize(speechJob({ format: "pcm" }))).length / 2 / 24_000;
      const path = await saveFile(
        `greeting-made.${format}`,
        await synthesize(speechJob({ format })),
      );
      expect(Math.abs(audioDurationSec(path) - wholeSec)).toBeLessThan(0.11);
    },
  );

  it("of a long text is complete and in order", async () => {
    const bytes = await synthesize(speechJob({ text: tenSentences, format: "mp3" }));
    const { text } = await collectTranscript(transcribe(await saveFile("long.mp3", bytes)));
    expect(wordErrors(tenSentences, text).rate).toBeLessThan(0.06);
  });

  it("reports its progress", async () => {
    const seen: { audioSec: number; progress: number }[] = [];
    for await (const { audioSec = 0, progress = 0 } of opened.channel.synthesize(
      speechJob({ text: tenSentences }),
      neverAborted(),
    ))
      seen.push({ audioSec: audioSec, progress });
    // The first sentence comes in two chunks; the last bytes are a chunk of their own.
    expect(seen.length).toBe(splitSentences(tenSentences).length + 2);
    expect(seen.map(({ progress }) => progress)).toEqual(
      seen.map(({ progress }) => progress).sort((a, b) => a - b),
    );
    expect(seen.at(-1)?.progress).toBe(1);
    expect(seen.at(-1)?.audioSec).toBeGreaterThan(20);
  });

  it("of a single sentence has the right length in its header", async () => {
    const bytes = await synthesize(speechJob({ text: "Good morning." }));
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    const decoder = openDecoder(await saveFile("one.wav", bytes), { sampleRateHz: 24_000 });
    expect(decoder.durationSec).toBeCloseTo((bytes.length - 44) / 48_000, 3);
    decoder.close();
  });

  it.each(["", " \n\t ", "…", "***", "[]()"])("is empty for %j", async (text) => {
    await expect(synthesize(speechJob({ text }))).rejects.toMatchObject({
      key: "nothing_to_say",
      param: "input",
    });
  });

  it("is refused for an unknown voice with a list of the voices", async () => {
    await expect(synthesize(speechJob({ voice: "bob" }))).rejects.toMatchObject({
      name: "AppError",
      param: "voice",
      message: expect.stringContaining("shimmer") as string,
    });
  });

  it("takes a single voice with a weight as that voice", async () => {
    expect(
      ["nova(2)", "af_bella(2)", "bob(2)"].map((voice) => opened.channel.hasVoice?.(voice)),
    ).toEqual([true, true, false]);
    const text = "Hello.";
    const weighted = await synthesize(speechJob({ text, voice: "onyx(2)", format: "pcm" }));
    expect(
      weighted.equals(await synthesize(speechJob({ text, voice: "onyx", format: "pcm" }))),
    ).toBe(true);
  });

  it("can be slower and faster", async () => {
    const lengths = await Promise.all(
      [0.5, 1, 2].map(
        async (speed) => (await synthesize(speechJob({ speed, format: "pcm" }))).length,
      ),
    );
    expect(lengths[0]).toBeGreaterThan(1.5 * (lengths[1] as number));
    expect(lengths[2]).toBeLessThan(0.7 * (lengths[1] as number));
  });

  it("stops when the consumer leaves or aborts", async () => {
    for await (const { progress = 0 } of opened.channel.synthesize(
      speechJob({ text: tenSentences }),
      neverAborted(),
    ))
      if (progress > 0) break;
    const abort = new AbortController();
    const all = synthesize(speechJob({ text: tenSentences }), abort.signal);
    setTimeout(() => abort.abort(new Error("no longer wanted")), 100);
    await expect(all).rejects.toThrow("no longer wanted");
  });

  it("lines are converted to phonemes", async () => {
    expect(await opened.channel.phonemes(["hello", "", "world"], neverAborted())).toEqual([
      "həlˈO",
      "",
      "wˈɜɹld",
    ]);
  });
});

describe("concurrent and consecutive requests", () => {
  it("do not affect each other", async () => {
    const alone = [
      await collectTranscript(transcribe(recording)),
      await collectTranscript(transcribe(shortRecording)),
      await synthesize(speechJob()),
    ] as const;
    const [story1, greeting, speech, story2] = await Promise.all([
      collectTranscript(transcribe(recording)),
      collectTranscript(transcribe(shortRecording)),
      synthesize(speechJob()),
      collectTranscript(transcribe(recording)),
    ]);
    expect(story1).toEqual(alone[0]);
    expect(story2).toEqual(alone[0]);
    expect(greeting).toEqual(alone[1]);
    expect(speech.equals(alone[2])).toBe(true);
  });

  it("leave no state that changes the next one", async () => {
    const before = [
      await collectTranscript(transcribe(shortRecording)),
      await synthesize(speechJob()),
    ] as const;
    await collectTranscript(
      transcribe(recording, {
        prompt: "Glossary: Hearsay, harbor.",
        temperature: 0.9,
        wordTimes: true,
      }),
    );
    await synthesize(speechJob({ voice: "fable", speed: 2.5, format: "opus", text: story }));
    await collectTranscript(transcribe(shortRecording, { language: "fr" })).catch(() => {});
    expect(await collectTranscript(transcribe(shortRecording))).toEqual(before[0]);
    expect((await synthesize(speechJob())).equals(before[1])).toBe(true);
  });
});
