// A well-behaved provider in its own process (provider-child.ts) that can be killed and restarted at the same address.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export type ProviderOptions = {
  /** Part of its transcripts. */
  name: string;
  /** 0: chosen by the system. */
  port: number;
  /** Duration of a transcription; requests are processed one by one. 0: all are answered at once. */
  transcriptionMs: number;
};

export type Provider = {
  readonly name: string;
  readonly port: number;
  readonly baseUrl: string;
  /** Ends it at once, whatever it is doing. */
  kill(): Promise<void>;
  /** Only after `kill`. */
  restart(): Promise<void>;
};

export async function startProvider({
  name,
  transcriptionMs = 0,
}: {
  name: string;
  transcriptionMs?: number;
}): Promise<Provider> {
  let child: ChildProcess;
  async function start(port: number): Promise<number> {
    child = fork(join(import.meta.dirname, "provider-child.ts"), [], { execArgv: [] });
    const listening = once(child, "message");
    child.send({ name, port, transcriptionMs } satisfies ProviderOptions);
    const [message] = (await listening) as [{ port: number }];
    return message.port;
  }
  const port = await start(0);
  return {
    name,
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    restart: async () => void (await start(port)),
  };
}

/** The first samples of the PCM (24 kHz, 16 bits) encode the time at which they were sent. */
const timestampBytes = 16;

/** Writes the time of the system's clock, which all processes share. */
export function withTimestamp(pcm: Buffer): Buffer {
  pcm.writeBigInt64LE(process.hrtime.bigint(), timestampBytes - 8);
  return pcm;
}

/** Milliseconds since the speech was sent. */
export const ageMs = (pcm: Buffer): number =>
  Number(process.hrtime.bigint() - pcm.readBigInt64LE(timestampBytes - 8)) / 1e6;
