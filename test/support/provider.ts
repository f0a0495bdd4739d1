// A well-behaved provider in a process of its own (provider-child.ts), which can be killed like any other and comes
// back at the same address.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export type ProviderOptions = {
  /** Part of what it answers. */
  name: string;
  /** 0: the system chooses. */
  port: number;
  /** What hearing takes; requests wait for one another then. 0: answered at once, however many there are. */
  transcriptionMs: number;
};

export type Provider = {
  readonly name: string;
  readonly port: number;
  readonly baseUrl: string;
  /** At once, in the midst of whatever it does. */
  kill(): Promise<void>;
  /** After `kill`. */
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

/** 24 kHz, 16 bits: its first samples are the moment they were sent. */
const timestampBytes = 16;

/** The moment on the machine's own clock, which all processes share. */
export function withTimestamp(pcm: Buffer): Buffer {
  pcm.writeBigInt64LE(process.hrtime.bigint(), timestampBytes - 8);
  return pcm;
}

/** How many milliseconds ago the speech was sent. */
export const ageMs = (pcm: Buffer): number =>
  Number(process.hrtime.bigint() - pcm.readBigInt64LE(timestampBytes - 8)) / 1e6;
