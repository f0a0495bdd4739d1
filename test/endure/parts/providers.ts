// Providers that stall, break off, lie, redirect and answer far too much, each asked by many clients at once with keys
// that have a budget: no key of a provider reaches anybody else, and no budget is exceeded by more than one request.

import { setTimeout as pause } from "node:timers/promises";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { uploadForm, wavBytes } from "../../support/gateway-server.ts";
import type { Row } from "../../support/report.ts";
import {
  answer,
  type Behaviour,
  cutOff,
  endlessHeaders,
  events,
  hasty,
  html,
  huge,
  json,
  openUpstream,
  redirect,
  reset,
  silent,
  stuckBody,
  stuckHeaders,
  type TestUpstream,
} from "../../support/upstream.ts";
import type { EndureContext, EndurePart } from "../part.ts";

type Kind = "speak" | "hear";
type Scenario = {
  name: string;
  behaviour: Behaviour;
  /** Optional; default both. */
  kind?: Kind;
  /** The provider does no work that it could charge for. */
  isFree?: boolean;
};

/** What may not be found anywhere else; parts of it count. */
const secret = "sk-Endure0123456789abcdefQRSTUVWXYZ";
const traces = [
  secret,
  secret.slice(3, 19),
  secret.slice(-16),
  Buffer.from(secret).toString("base64").slice(0, 20),
];
const priceOfSpeechUsd = 0.015;
const priceOfHearingUsd = 0.006;
const characters = 100;
const soundSec = 10;
/** A request's cost. */
const costUsd: Record<Kind, number> = {
  speak: (characters / 1000) * priceOfSpeechUsd,
  hear: (soundSec / 60) * priceOfHearingUsd,
};
/** Scenarios side by side: most of them wait for a limit. */
const atOnce = 4;
/** Of each key, in requests. */
const budgetRequests = 3.5;
const MB = 2 ** 20;
const recording = wavBytes(44 + soundSec * 32_000);
const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const limits = { connectMs: 500, headersMs: 500, bodyMs: 500, totalMs: 2_000 };
/** From the first request to the last answer: limits, retries with their pauses, and a slow machine. */
const maxAnswerSec = 30;

const text = (seconds: unknown): Behaviour =>
  json({
    text: "It was heard.",
    language: "english",
    duration: seconds,
    segments: [{ start: 0, end: 1, text: "It was heard." }],
  });

function scenarios(elsewhere: string): Scenario[] {
  const refusal = {
    error: {
      message: `The key ${secret} has no quota; it ends with ${secret.slice(-16)}.`,
      type: "x",
      code: secret,
    },
  };
  return [
    { name: "never answers", behaviour: silent },
    { name: "stops within its headers", behaviour: stuckHeaders },
    {
      name: "stops after its headers",
      behaviour: stuckBody("application/json", '{"text":'),
      kind: "hear",
    },
    { name: "stops after some audio", behaviour: stuckBody("audio/mpeg", mp3), kind: "speak" },
    {
      name: "breaks off a body of known length",
      behaviour: cutOff("audio/mpeg", mp3, { lengthTold: true }),
      kind: "speak",
    },
    {
      name: "breaks off in the middle of JSON",
      behaviour: cutOff("application/json", '{"text":"It was'),
      kind: "hear",
    },
    {
      name: "breaks off its events",
      behaviour: events([{ type: "transcript.text.delta", delta: "It" }], { cut: true }),
      kind: "hear",
    },
    { name: "sends a page for an answer", behaviour: html() },
    {
      name: "sends other audio than was asked for",
      behaviour: answer(200, "audio/mpeg", Buffer.from("fLaC, or so it says")),
      kind: "speak",
    },
    { name: "says the recording is short", behaviour: text(0.001), kind: "hear" },
    { name: "says the recording is of negative length", behaviour: text(-1e9), kind: "hear" },
    { name: "says the recording is endless", behaviour: text(1e12), kind: "hear" },
    { name: "says nothing of the length", behaviour: text(undefined), kind: "hear" },
    { name: "answers as it should", behaviour: answer(200, "audio/mpeg", mp3), kind: "speak" },
    {
      name: "answers 32 MB of JSON",
      behaviour: huge("application/json", 32 * MB, { begin: '{"text":"' }),
      kind: "hear",
    },
    {
      name: "announces 33 MB of JSON",
      behaviour: huge("application/json", 33 * MB, { begin: '{"text":"', lengthTold: true }),
      kind: "hear",
    },
    {
      name: "answers 32 MB of audio",
      behaviour: huge("audio/mpeg", 32 * MB, { begin: mp3.toString("latin1") }),
      kind: "speak",
    },
    { name: "sends headers without end", behaviour: endlessHeaders },
    { name: "closes the connection", behaviour: reset, isFree: true },
    { name: "refuses before it has read", behaviour: hasty(json(refusal, 413)), isFree: true },
    { name: "repeats the key in its refusal", behaviour: json(refusal, 401), isFree: true },
    {
      name: "repeats the key in a failure",
      behaviour: answer(500, "text/plain", `Traceback: Authorization: Bearer ${secret}`, {
        "x-request-key": secret,
      }),
      isFree: true,
    },
    {
      name: "repeats the key in an answer that calls itself a success",
      behaviour: json(refusal),
      isFree: true,
    },
    ...[301, 302, 303, 307, 308].map((status): Scenario => ({
      name: `redirects elsewhere with ${status}`,
      behaviour: redirect(`${elsewhere}/v1/audio`, status),
      isFree: true,
    })),
    { name: "redirects to itself for ever", behaviour: redirect("/v1/audio/speech"), isFree: true },
    {
      name: "redirects to another scheme",
      behaviour: redirect("file:///etc/passwd"),
      isFree: true,
    },
  ];
}

/** The largest of some figures, and where it was. */
type Worst = { value: number; where: string };
type Seen = {
  traces: string[];
  overspent: Worst;
  unrecorded: Worst;
  slowest: Worst;
  requests: number;
};

const none: Worst = { value: 0, where: "" };
const worse = (one: Worst, value: number, where: string): Worst =>
  value > one.value ? { value, where } : one;

class Run {
  readonly seen: Seen = {
    traces: [],
    overspent: none,
    unrecorded: none,
    slowest: none,
    requests: 0,
  };
  readonly #hearsay: HearsayProcess;
  readonly #parallel: Record<Kind, number>;
  #count = 0;

  constructor(hearsay: HearsayProcess, parallel: Record<Kind, number>) {
    this.#hearsay = hearsay;
    this.#parallel = parallel;
  }

  #look(where: string, found: string): void {
    for (const trace of traces) if (found.includes(trace)) this.seen.traces.push(where);
  }

  async #app(path: string): Promise<string> {
    const response = await fetch(`${new URL(this.#hearsay.baseUrl).origin}${path}`, {
      headers: { authorization: `Bearer ${this.#hearsay.key}` },
    });
    return response.text();
  }

  /** With a provider, a channel and a key of its own: what breakers and budgets remember is not another's. */
  async play(scenario: Scenario, kind: Kind): Promise<void> {
    const upstream = await openUpstream(scenario.behaviour);
    try {
      upstream.answers(json({ data: [{ id: "whisper-1" }, { id: "tts-1" }] }), "/models");
      await this.#playAt(upstream, scenario, kind);
    } finally {
      await upstream.close();
    }
  }

  async #playAt(
    { baseUrl, requests }: TestUpstream,
    { name, isFree = false }: Scenario,
    kind: Kind,
  ): Promise<void> {
    const id = (this.#count += 1);
    const channel = await this.#hearsay.addChannel({
      name: `cloud${id}`,
      baseUrl,
      key: secret,
      limits,
    });
    const { secret: clientKey, name: keyName } = await this.#hearsay.app("createKey", {
      name: `client ${id}`,
      monthlyBudgetUsd: budgetRequests * costUsd[kind],
    });
    const model = `cloud${id}/${kind === "speak" ? "tts-1" : "whisper-1"}`;
    const startMs = performance.now();
    const where = `${name} (${kind})`;
    await Promise.all(
      Array.from({ length: this.#parallel[kind] }, () => this.#ask(where, kind, model, clientKey)),
    );
    this.seen.slowest = worse(this.seen.slowest, (performance.now() - startMs) / 1000, where);
    this.seen.requests += this.#parallel[kind];
    this.#look(`channels after '${name}'`, await this.#app("/app/channels"));
    const usage = JSON.parse(await this.#app("/app/usage?by=key")) as {
      sums: { group: string; spentUsd: number }[];
    };
    const recorded =
      (usage.sums.find(({ group }) => group === keyName)?.spentUsd ?? 0) / costUsd[kind];
    const charged = isFree ? 0 : requests.filter(({ path }) => path.includes("/audio/")).length;
    this.seen.overspent = worse(
      this.seen.overspent,
      Math.max(charged, recorded) - budgetRequests,
      where,
    );
    this.seen.unrecorded = worse(this.seen.unrecorded, charged - recorded, where);
    await this.#hearsay.app("removeChannel", undefined, channel.id);
  }

  async #ask(where: string, kind: Kind, model: string, key: string): Promise<void> {
    const isSpeech = kind === "speak";
    const body = isSpeech
      ? JSON.stringify({ model, voice: "nova", input: "x".repeat(characters) })
      : uploadForm({ model }, new Blob([new Uint8Array(recording)]));
    const response = await fetch(
      `${this.#hearsay.baseUrl}/audio/${isSpeech ? "speech" : "transcriptions"}`,
      { method: "POST", body, headers: { authorization: `Bearer ${key}` } },
    );
    this.#look(`an answer to '${where}'`, JSON.stringify([...response.headers]));
    const bytes = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    this.#look(`an answer to '${where}'`, Buffer.from(bytes).toString("latin1"));
  }

  finish(): void {
    this.#look("the log", this.#hearsay.log());
  }
}

async function run({ isShort, minutes, random, log }: EndureContext): Promise<Row[]> {
  const elsewhere = await openUpstream();
  const hearsay = await startHearsay();
  try {
    const all = scenarios(elsewhere.origin);
    const each = all.flatMap((scenario) =>
      (scenario.kind === undefined ? (["speak", "hear"] as const) : [scenario.kind]).map(
        (kind) => ({ scenario, kind }),
      ),
    );
    const endMs = isShort ? 0 : performance.now() + minutes * 60_000;
    const play = new Run(hearsay, isShort ? { speak: 10, hear: 6 } : { speak: 60, hear: 30 });
    // Each scenario once, then any of them until the time is over.
    const once = isShort
      ? each.filter(({ scenario, kind }) => scenario.kind !== undefined || kind === "speak")
      : each;
    const waiting = once.values();
    const playSome = async (): Promise<void> => {
      for (const { scenario, kind } of waiting) {
        log(`${scenario.name} (${kind})`);
        await play.play(scenario, kind);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, playSome));
    while (performance.now() < endMs) {
      const { scenario, kind } = each[Math.floor(random() * each.length)] as (typeof each)[number];
      await play.play(scenario, kind);
    }
    // What was broken off may still write to the log.
    await pause(200);
    play.finish();
    const local = await hearsay.ask("/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Good morning." }),
    });
    await local.arrayBuffer();
    const { seen } = play;
    return [
      {
        area: "providers",
        what: "requests that reached another origin",
        value: elsewhere.requests.length,
        unit: "",
        goal: { max: 0 },
        note: `of ${seen.requests} requests`,
      },
      {
        area: "providers",
        what: "places where a provider's key was seen",
        value: seen.traces.length,
        unit: "",
        goal: { max: 0 },
        note: [...new Set(seen.traces)].join(", "),
      },
      {
        area: "providers",
        what: "requests charged beyond a budget, at most",
        value: seen.overspent.value,
        unit: "",
        goal: { max: 1 },
        note: seen.overspent.where,
      },
      {
        area: "providers",
        what: "requests charged and not recorded, at most",
        value: seen.unrecorded.value,
        unit: "",
        goal: { max: 0.001 },
        note: seen.unrecorded.where,
      },
      {
        area: "providers",
        what: "longest wait for an answer",
        value: seen.slowest.value,
        unit: "s",
        goal: { max: maxAnswerSec },
        note: seen.slowest.where,
      },
      {
        area: "providers",
        what: "this machine serves afterwards",
        value: Number(local.status === 200),
        unit: "",
        goal: { min: 1 },
      },
    ];
  } finally {
    await hearsay.close();
    await elsewhere.close();
  }
}

export const part: EndurePart = { defaultMinutes: 3, run };
