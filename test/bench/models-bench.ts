// GET /v1/models compared with a bare node:http server that returns the same bytes, with the same client.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startLoad } from "./load.ts";
import type { LoadOptions } from "./load-client.ts";
import type { Results } from "../support/report.ts";
import { median } from "./rounds.ts";
import type { ServedApp } from "./served-app.ts";

const rounds = 7;
const roundMs = 1000;
const connections = 16;

export async function benchModels(app: ServedApp): Promise<Results> {
  const body = await (await fetch(`${app.baseUrl}/models`, { headers: app.headers })).text();
  const bare = fork(join(import.meta.dirname, "bare-server.ts"), [], { execArgv: [] });
  const load = startLoad();
  try {
    const listening = once(bare, "message");
    bare.send({ body });
    const [{ port }] = (await listening) as [{ port: number }];
    const rate = async (
      options: Omit<LoadOptions, "connections" | "ms">,
      ms = roundMs,
    ): Promise<number> => {
      const { bodyBytes, perSec } = await load.run({ ...options, connections, ms });
      if (bodyBytes !== Buffer.byteLength(body))
        throw new Error(`an answer of ${bodyBytes} bytes instead of ${Buffer.byteLength(body)}`);
      return perSec;
    };
    const hearsay = {
      port: Number(new URL(app.baseUrl).port),
      path: "/v1/models",
      headers: app.headers,
    };
    const bareServer = { port, path: "/v1/models", headers: app.headers };
    for (const options of [hearsay, bareServer]) await rate(options, 2 * roundMs);
    const rates: Record<"hearsay" | "bare", number[]> = { hearsay: [], bare: [] };
    for (let round = 0; round < rounds; round += 1) {
      rates.hearsay.push(await rate(hearsay));
      rates.bare.push(await rate(bareServer));
    }
    const [hearsayRate, bareRate] = [median(rates.hearsay), median(rates.bare)];
    const note = `${hearsayRate.toFixed(0)} requests a second against ${bareRate.toFixed(0)}`;
    return {
      rows: [
        {
          area: "GET /v1/models",
          what: "requests a second, of bare node:http",
          value: hearsayRate / bareRate,
          unit: "×",
          goal: { min: 0.5 },
          note,
        },
      ],
      raw: { models: { requestsPerSec: rates } },
    };
  } finally {
    bare.disconnect();
    load.close();
  }
}
