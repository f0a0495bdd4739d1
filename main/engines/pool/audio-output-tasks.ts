// A child's tasks that write audio: takes, audiobooks, and responses in a requested format.

import { type Encoder, openEncoder } from "../../audio/codec/encode.ts";
import { readPcmFile } from "../../audio/codec/pcm-file.ts";
import {
  type AudiobookAssembler,
  openAudiobookAssembler,
} from "../../audiobook/audiobook-assembler.ts";
import { saveTake } from "../../audiobook/take.ts";
import type { TaskHandlers } from "./protocol.ts";
import { createSessions } from "./sessions.ts";

type AudioOutputTasks = Pick<
  TaskHandlers,
  | "save-take"
  | "assemble.open"
  | "assemble.add"
  | "assemble.finish"
  | "encode.open"
  | "encode.push"
  | "encode.finish"
>;

/** Sample rate of all built-in voices. */
const ttsSampleRateHz = 24_000;

export function createAudioOutputTasks(): {
  tasks: AudioOutputTasks;
  closeSession(session: string): void;
} {
  const assemblers = createSessions<AudiobookAssembler>();
  const encoders = createSessions<Encoder>();

  const tasks: AudioOutputTasks = {
    "save-take": ({ mediaPath, wavPath }) => saveTake(mediaPath, wavPath),
    async "assemble.open"({ session, pass }) {
      assemblers.add(session, openAudiobookAssembler(pass));
    },
    "assemble.add": async ({ session, parts }, signal) =>
      assemblers.get(session).add(parts, signal),
    "assemble.finish": async ({ session }) => assemblers.get(session).finish(),
    async "encode.open"({ session, ...options }) {
      encoders.add(session, openEncoder({ ...options, sampleRateHz: ttsSampleRateHz }));
    },
    async "encode.push"({ session, pcmPath }) {
      const samples = await readPcmFile(pcmPath);
      return encoders.get(session).encode(samples);
    },
    "encode.finish": async ({ session }) => encoders.get(session).finish(),
  };
  return {
    tasks,
    closeSession(session) {
      assemblers.close(session);
      encoders.close(session);
    },
  };
}
