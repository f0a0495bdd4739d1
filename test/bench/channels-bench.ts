// The cost of a channel: the latency it adds to the first chunk of speech, the throughput it leaves of its provider's
// own, and the gain from a second provider. Providers, gateway and load run in separate processes.

import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { type Provider, ageMs, startProvider } from "../support/provider.ts";
import { type Load, startLoad } from "./load.ts";
import type { Results } from "../support/report.ts";
import { median } from "./rounds.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const area = "channels";
const otherKey = "hs-bench-other";
const clipPath = join(
  import.meta.dirname,
  "..",
  "..",
  "main",
  "channels",
  "config",
  "test-clip.mp3",
);

export async function benchChannels(app: ServedApp): Promise<Results> {
  const quick = await startProvider({ name: "quick" });
  const slow = await Promise.all(
    ["slow", "slow-too"].map((name) => startProvider({ name, transcriptionMs: slowMs })),
  );
  const instantGateway = fork(join(import.meta.dirname, "instant-gateway.ts"), [], {
    execArgv: [],
    env: { ...process.env, HEARSAY_API_KEY: otherKey },
  });
  const load = startLoad();
  try {
    const [{ port }] = (await once(instantGateway, "message")) as [{ port: number }];
    const hearsay = { name: "hearsay", baseUrl: `http://127.0.0.1:${port}/v1` };
    await addChannel(app, quick, "quick");
    await addChannel(app, hearsay, "hearsay", otherKey);
    for (const [at, provider] of slow.entries()) {
      if (at === 0) await addChannel(app, provider, "one");
      await addChannel(app, provider, "two");
    }
    const results = [
      await benchFirstByte(app, quick),
      await benchThroughput(
        app,
        hearsay,
        load,
        "another Hearsay that answers at once",
        { min: 0.6 },
        { authorization: `Bearer ${otherKey}` },
      ),
      // This provider validates and stores nothing, so the ratio shows the cost of a whole gateway. It has no goal.
      await benchThroughput(app, quick, load, "a bare server that answers at once"),
      await benchTwoProviders(app, load),
    ];
    return {
      rows: results.flatMap(({ rows }) => rows),
      raw: {
        channels: Object.assign({}, ...results.map(({ raw }) => raw)) as Record<string, unknown>,
      },
    };
  } finally {
    load.close();
    instantGateway.disconnect();
    for (const provider of [quick, ...slow]) await provider.kill();
  }
}

type Upstream = { name: string; baseUrl: string };

async function addChannel(
  { baseUrl, headers }: ServedApp,
  { name, baseUrl: upstream }: Upstream,
  prefix: string,
  key?: string,
): Promise<void> {
  const body = JSON.stringify({
    name: `${name} as ${prefix}`,
    baseUrl: upstream,
    prefix,
    ...(key === undefined ? {} : { key }),
  });
  const response = await fetch(baseUrl.replace(/\/v1$/, "/app/channels"), {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  if (!response.ok) throw new Error(`the channel was refused: ${await response.text()}`);
}

const speechCount = 100;
const warmUps = 20;

/** Time from sending the first bytes of speech at the provider to receiving them here. */
async function benchFirstByte(app: ServedApp, provider: Provider): Promise<Results> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const through = (): Promise<number> =>
    firstByteMs(agent, app.baseUrl, app.headers, "quick/tts-1");
  const straight = (): Promise<number> => firstByteMs(agent, provider.baseUrl, {}, "tts-1");
  const times: Record<"through" | "straight", number[]> = { through: [], straight: [] };
  try {
    for (let turn = -warmUps; turn < speechCount; turn += 1) {
      const [own, other] = [await through(), await straight()];
      if (turn < 0) continue;
      times.through.push(own);
      times.straight.push(other);
    }
  } finally {
    agent.destroy();
  }
  const note = `median of ${speechCount}; ${median(times.straight).toFixed(2)} ms without a channel`;
  return {
    rows: [
      {
        area,
        what: "first byte of speech, after the provider sent it",
        value: median(times.through),
        unit: "ms",
        goal: { max: 15 },
        note,
      },
    ],
    raw: { firstByteMs: times },
  };
}

function firstByteMs(
  agent: Agent,
  baseUrl: string,
  headers: Record<string, string>,
  model: string,
): Promise<number> {
  const body = JSON.stringify({ model, voice: "alloy", input: "Hello.", response_format: "pcm" });
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${baseUrl}/audio/speech`,
      {
        agent,
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          "content-length": String(body.length),
        },
      },
      (response) => {
        response.once("data", (first: Buffer) => {
          const ms = ageMs(first);
          response.on("end", () =>
            response.statusCode === 200 ? resolve(ms) : reject(new Error(first.toString())),
          );
        });
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const rounds = 7;
const roundMs = 1000;
const connections = 16;

const transcriptionRequest = (model: string) => {
  const { contentType, body } = uploadForm({ model }, readFileSync(clipPath), "clip.mp3");
  return {
    path: "/v1/audio/transcriptions",
    connections,
    body: body.toString("base64"),
    headers: { "content-type": contentType },
  };
};
const portOf = ({ baseUrl }: { baseUrl: string }): number => Number(new URL(baseUrl).port);

/** The provider responds at once, so the throughput is limited by the channel's own work. */
async function benchThroughput(
  app: ServedApp,
  provider: Upstream,
  load: Load,
  providerDescription: string,
  goal?: { min: number },
  headers: Record<string, string> = {},
): Promise<Results> {
  const requestOptions = transcriptionRequest(`${provider.name}/whisper-1`);
  const through = {
    ...requestOptions,
    port: portOf(app),
    headers: { ...requestOptions.headers, ...app.headers },
  };
  const own = transcriptionRequest("whisper-1");
  const straight = { ...own, port: portOf(provider), headers: { ...own.headers, ...headers } };
  for (const one of [through, straight]) await load.run({ ...one, ms: 2 * roundMs });
  const rates: Record<"through" | "straight", number[]> = { through: [], straight: [] };
  for (let round = 0; round < rounds; round += 1) {
    rates.through.push((await load.run({ ...through, ms: roundMs })).perSec);
    rates.straight.push((await load.run({ ...straight, ms: roundMs })).perSec);
  }
  const [channel, alone] = [median(rates.through), median(rates.straight)];
  const note = `${channel.toFixed(0)} requests a second against ${alone.toFixed(0)}, ${connections} at once`;
  return {
    rows: [
      {
        area,
        what: `small transcripts a second, of ${providerDescription}`,
        value: channel / alone,
        unit: "×",
        ...(goal === undefined ? {} : { goal }),
        note,
      },
    ],
    raw: { [`transcriptsPerSec of ${provider.name}`]: rates },
  };
}

/** Processing time per request in ms; a provider processes one request at a time. */
const slowMs = 50;
/** Enough connections that one of two providers is seldom idle by chance. */
const slowConnections = 32;
const slowRounds = 3;
const slowRoundMs = 3000;

/** The providers are the bottleneck: two should double the throughput. */
async function benchTwoProviders(app: ServedApp, load: Load): Promise<Results> {
  const rate = async (prefix: string, ms = slowRoundMs): Promise<number> => {
    const requestOptions = {
      ...transcriptionRequest(`${prefix}/whisper-1`),
      connections: slowConnections,
    };
    return (
      await load.run({
        ...requestOptions,
        ms,
        port: portOf(app),
        headers: { ...requestOptions.headers, ...app.headers },
      })
    ).perSec;
  };
  const rates: Record<"one" | "two", number[]> = { one: [], two: [] };
  for (const prefix of ["one", "two"] as const) await rate(prefix, 500);
  for (let round = 0; round < slowRounds; round += 1)
    for (const prefix of ["one", "two"] as const) rates[prefix].push(await rate(prefix));
  const [one, two] = [median(rates.one), median(rates.two)];
  const note = `${two.toFixed(1)} requests a second against ${one.toFixed(1)}, each ${slowMs} ms of its provider`;
  return {
    rows: [
      {
        area,
        what: "two providers, of one",
        value: two / one,
        unit: "×",
        goal: { min: 1.8 },
        note,
      },
    ],
    raw: { slowTranscriptsPerSec: rates },
  };
}
