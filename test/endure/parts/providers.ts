// Providers that stall, break off, lie, redirect and send far too much, each used by many clients at once with budgeted
// keys: no provider's key may reach anyone else, and no budget may be exceeded by more than one request.

import { setTimeout as pause } from "node:timers/promises";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { uploadForm, wavBytes } from "../../support/gateway-server.ts";
import type { Row } from "../../support/report.ts";
import {
  respondWith,
  type Behaviour,
  breakOffBody,
  endlessHeaders,
  events,
  respondBeforeBody,
  html,
  largeBody,
  json,
  openUpstream,
  redirect,
  resetConnection,
  noResponse,
  stallInBody,
  stallInHeaders,
  type TestUpstream,
} from "../../support/upstream.ts";
import type { EndureContext, EndurePart } from "../part.ts";

type Kind = "synthesize" | "transcribe";
type Scenario = {
  name: string;
  behaviour: Behaviour;
  /** Default: both kinds. */
  kind?: Kind;
  /** The provider does no work that it could charge for. */
  isFree?: boolean;
};

/** Must not appear anywhere else, not even in parts. */
const secret = "sk-Endure0123456789abcdefQRSTUVWXYZ";
const secretTraces = [
  secret,
  secret.slice(3, 19),
  secret.slice(-16),
  Buffer.from(secret).toString("base64").slice(0, 20),
];
const speechPriceUsd = 0.015;
const transcriptionPriceUsd = 0.006;
const characterCount = 100;
const soundSec = 10;
/** Cost of one request. */
const costUsd: Record<Kind, number> = {
  synthesize: (characterCount / 1000) * speechPriceUsd,
  transcribe: (soundSec / 60) * transcriptionPriceUsd,
};
/** Number of concurrent scenarios. Most of them wait for a timeout. */
const concurrency = 4;
/** Budget of each key, in requests. */
const budgetRequests = 3.5;
const MB = 2 ** 20;
const recording = wavBytes(44 + soundSec * 32_000);
const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const limits = { connectMs: 500, headersMs: 500, bodyMs: 500, totalMs: 2_000 };
/** From the first request to the last response: includes timeouts, retries with their delays, and a slow machine. */
const maxAnswerSec = 30;

const text = (seconds: unknown): Behaviour =>
  json({
    text: "It was transcribed.",
    language: "english",
    duration: seconds,
    segments: [{ start: 0, end: 1, text: "It was transcribed." }],
  });

function scenarios(otherOrigin: string): Scenario[] {
  const refusal = {
    error: {
      message: `The key ${secret} has no quota; it ends with ${secret.slice(-16)}.`,
      type: "x",
      code: secret,
    },
  };
  return [
    { name: "never answers", behaviour: noResponse },
    { name: "stops within its headers", behaviour: stallInHeaders },
    {
      name: "stops after its headers",
      behaviour: stallInBody("application/json", '{"text":'),
      kind: "transcribe",
    },
    {
      name: "stops after some audio",
      behaviour: stallInBody("audio/mpeg", mp3),
      kind: "synthesize",
    },
    {
      name: "breaks off a body of known length",
      behaviour: breakOffBody("audio/mpeg", mp3, { hasContentLength: true }),
      kind: "synthesize",
    },
    {
      name: "breaks off in the middle of JSON",
      behaviour: breakOffBody("application/json", '{"text":"It was'),
      kind: "transcribe",
    },
    {
      name: "breaks off its events",
      behaviour: events([{ type: "transcript.text.delta", delta: "It" }], { cut: true }),
      kind: "transcribe",
    },
    { name: "sends a page for an answer", behaviour: html() },
    {
      name: "sends other audio than was asked for",
      behaviour: respondWith(200, "audio/mpeg", Buffer.from("fLaC, or so it says")),
      kind: "synthesize",
    },
    { name: "says the recording is short", behaviour: text(0.001), kind: "transcribe" },
    { name: "says the recording is of negative length", behaviour: text(-1e9), kind: "transcribe" },
    { name: "says the recording is endless", behaviour: text(1e12), kind: "transcribe" },
    { name: "says nothing of the length", behaviour: text(undefined), kind: "transcribe" },
    {
      name: "answers as it should",
      behaviour: respondWith(200, "audio/mpeg", mp3),
      kind: "synthesize",
    },
    {
      name: "answers 32 MB of JSON",
      behaviour: largeBody("application/json", 32 * MB, { begin: '{"text":"' }),
      kind: "transcribe",
    },
    {
      name: "announces 33 MB of JSON",
      behaviour: largeBody("application/json", 33 * MB, {
        begin: '{"text":"',
        hasContentLength: true,
      }),
      kind: "transcribe",
    },
    {
      name: "answers 32 MB of audio",
      behaviour: largeBody("audio/mpeg", 32 * MB, { begin: mp3.toString("latin1") }),
      kind: "synthesize",
    },
    { name: "sends headers without end", behaviour: endlessHeaders },
    { name: "closes the connection", behaviour: resetConnection, isFree: true },
    {
      name: "refuses before it has read",
      behaviour: respondBeforeBody(json(refusal, 413)),
      isFree: true,
    },
    { name: "repeats the key in its refusal", behaviour: json(refusal, 401), isFree: true },
    {
      name: "repeats the key in a failure",
      behaviour: respondWith(500, "text/plain", `Traceback: Authorization: Bearer ${secret}`, {
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
      behaviour: redirect(`${otherOrigin}/v1/audio`, status),
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

/** The largest of several values, and where it occurred. */
type Maximum = { value: number; where: string };
type Findings = {
  secretTraces: string[];
  overspent: Maximum;
  unrecorded: Maximum;
  slowest: Maximum;
  requests: number;
};

const noMaximum: Maximum = { value: 0, where: "" };
const maxOf = (one: Maximum, value: number, where: string): Maximum =>
  value > one.value ? { value, where } : one;

class ScenarioRunner {
  readonly findings: Findings = {
    secretTraces: [],
    overspent: noMaximum,
    unrecorded: noMaximum,
    slowest: noMaximum,
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
    for (const trace of secretTraces)
      if (found.includes(trace)) this.findings.secretTraces.push(where);
  }

  async #app(path: string): Promise<string> {
    const response = await fetch(`${new URL(this.#hearsay.baseUrl).origin}${path}`, {
      headers: { authorization: `Bearer ${this.#hearsay.key}` },
    });
    return response.text();
  }

  /** Uses a new provider, channel and key, because circuit breakers and budgets keep state. */
  async runScenario(scenario: Scenario, kind: Kind): Promise<void> {
    const upstream = await openUpstream(scenario.behaviour);
    try {
      upstream.setBehaviour(json({ data: [{ id: "whisper-1" }, { id: "tts-1" }] }), "/models");
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
    const model = `cloud${id}/${kind === "synthesize" ? "tts-1" : "whisper-1"}`;
    const startMs = performance.now();
    const where = `${name} (${kind})`;
    await Promise.all(
      Array.from({ length: this.#parallel[kind] }, () => this.#ask(where, kind, model, clientKey)),
    );
    this.findings.slowest = maxOf(
      this.findings.slowest,
      (performance.now() - startMs) / 1000,
      where,
    );
    this.findings.requests += this.#parallel[kind];
    this.#look(`channels after '${name}'`, await this.#app("/app/channels"));
    const usage = JSON.parse(await this.#app("/app/usage?by=key")) as {
      sums: { group: string; spentUsd: number }[];
    };
    const recorded =
      (usage.sums.find(({ group }) => group === keyName)?.spentUsd ?? 0) / costUsd[kind];
    const charged = isFree ? 0 : requests.filter(({ path }) => path.includes("/audio/")).length;
    this.findings.overspent = maxOf(
      this.findings.overspent,
      Math.max(charged, recorded) - budgetRequests,
      where,
    );
    this.findings.unrecorded = maxOf(this.findings.unrecorded, charged - recorded, where);
    await this.#hearsay.app("removeChannel", undefined, channel.id);
  }

  async #ask(where: string, kind: Kind, model: string, key: string): Promise<void> {
    const isSpeech = kind === "synthesize";
    const body = isSpeech
      ? JSON.stringify({ model, voice: "nova", input: "x".repeat(characterCount) })
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
  const otherOrigin = await openUpstream();
  const hearsay = await startHearsay();
  try {
    const all = scenarios(otherOrigin.origin);
    const scenarioKinds = all.flatMap((scenario) =>
      (scenario.kind === undefined ? (["synthesize", "transcribe"] as const) : [scenario.kind]).map(
        (kind) => ({ scenario, kind }),
      ),
    );
    const endMs = isShort ? 0 : performance.now() + minutes * 60_000;
    const runner = new ScenarioRunner(
      hearsay,
      isShort ? { synthesize: 10, transcribe: 6 } : { synthesize: 60, transcribe: 30 },
    );
    // Each scenario once, then random ones until the time is over.
    const once = isShort
      ? scenarioKinds.filter(
          ({ scenario, kind }) => scenario.kind !== undefined || kind === "synthesize",
        )
      : scenarioKinds;
    const pending = once.values();
    const runPending = async (): Promise<void> => {
      for (const { scenario, kind } of pending) {
        log(`${scenario.name} (${kind})`);
        await runner.runScenario(scenario, kind);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, runPending));
    while (performance.now() < endMs) {
      const { scenario, kind } = scenarioKinds[
        Math.floor(random() * scenarioKinds.length)
      ] as (typeof scenarioKinds)[number];
      await runner.runScenario(scenario, kind);
    }
    // Aborted requests may still write to the log.
    await pause(200);
    runner.finish();
    const local = await hearsay.request("/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Good morning." }),
    });
    await local.arrayBuffer();
    const { findings } = runner;
    return [
      {
        area: "providers",
        what: "requests that reached another origin",
        value: otherOrigin.requests.length,
        unit: "",
        goal: { max: 0 },
        note: `of ${findings.requests} requests`,
      },
      {
        area: "providers",
        what: "places where a provider's key was seen",
        value: findings.secretTraces.length,
        unit: "",
        goal: { max: 0 },
        note: [...new Set(findings.secretTraces)].join(", "),
      },
      {
        area: "providers",
        what: "requests charged beyond a budget, at most",
        value: findings.overspent.value,
        unit: "",
        goal: { max: 1 },
        note: findings.overspent.where,
      },
      {
        area: "providers",
        what: "requests charged and not recorded, at most",
        value: findings.unrecorded.value,
        unit: "",
        goal: { max: 0.001 },
        note: findings.unrecorded.where,
      },
      {
        area: "providers",
        what: "longest wait for an answer",
        value: findings.slowest.value,
        unit: "s",
        goal: { max: maxAnswerSec },
        note: findings.slowest.where,
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
    await otherOrigin.close();
  }
}

export const part: EndurePart = { defaultMinutes: 3, run };
