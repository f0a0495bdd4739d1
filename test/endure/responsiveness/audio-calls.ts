// Calls on uploads and recordings.

import { randomBytes } from "node:crypto";
import { wavHeader } from "../../../main/audio/codec/framing.ts";
import type { Call, CallClient } from "./call-client.ts";

const sampleRateHz = 16_000;

/** @param soundSec duration of the uploaded audio */
export function audioCalls({ app, request, post }: CallClient, soundSec: number): Call[] {
  const sound = Buffer.concat([
    wavHeader(sampleRateHz, soundSec * sampleRateHz),
    ...Array.from({ length: soundSec }, () => randomBytes(2 * sampleRateHz)),
  ]);
  let uploaded = "";
  let recording = "";

  return [
    {
      name: "/app/uploads",
      run: async () =>
        void ({ id: uploaded } = await post<{ id: string }>("/app/uploads?name=hour.wav", sound)),
    },
    { name: "cancelItem, of a transcript", run: () => app("cancelItem", {}, uploaded) },
    { name: "peaks", run: () => request("GET", `/app/items/${uploaded}/peaks`) },
    { name: "media", run: () => request("GET", `/app/items/${uploaded}/media`) },
    { name: "transcribeItem", run: () => app("transcribeItem", {}, uploaded) },
    { name: "cancelItem, of another", run: () => app("cancelItem", {}, uploaded) },
    {
      name: "/app/recordings",
      run: async () =>
        void ({ id: recording } = await post<{ id: string }>("/app/recordings?title=Talk")),
    },
    {
      name: "/app/recordings/:id/sound",
      run: () =>
        request(
          "POST",
          `/app/recordings/${recording}/sound?from=0`,
          sound.subarray(44, 44 + 60 * 2 * sampleRateHz),
        ),
    },
    {
      name: "/app/recordings/:id/end",
      run: () => request("POST", `/app/recordings/${recording}/end`),
    },
    { name: "removeItem, of a recording", run: () => app("removeItem", undefined, recording) },
  ];
}
