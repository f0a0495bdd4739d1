// What /docs says of realtime sessions, which OpenAPI cannot describe.

import { languageField, unsettledField } from "../../../contract/realtime.ts";

/** Rows of [event or field, meaning], in which backticks mark code. */
export const realtimeDocs = {
  summary: "Live transcription",
  description:
    "A WebSocket with OpenAI's realtime transcription sessions, also in the form of the beta " +
    "(`transcription_session.update`). The key is sent in the header, or by browsers as the subprotocol " +
    "`openai-insecure-api-key.<key>` after `realtime`; best a client secret. A session is closed after ten minutes " +
    "without a message. Each speech segment is charged as a transcription. Words that may still change come from " +
    "this machine's models alone: other channels are asked once for each speech segment. A session is passed through " +
    "to the provider of its model if that has realtime sessions, the model is named in the address or in the first " +
    "event, and nothing is asked for that OpenAI does not have (16 kHz, `include` as below). Events are the " +
    "provider's then, and each turn, or each minute without one, is charged as a transcription.",
  sent: [
    [
      "`session.update`",
      "`session` with `type: transcription` and `audio.input`: `format` (`audio/pcm` with `rate` 24000 or 16000, " +
        "`audio/pcmu`, `audio/pcma`), `transcription` (`model`, `language`, `prompt`), `turn_detection` " +
        "(`server_vad` with `threshold`, `prefix_padding_ms` and `silence_duration_ms`, or null: then you commit), " +
        "`noise_reduction` (accepted; levels are evened out in any case).",
    ],
    [
      "`input_audio_buffer.append`",
      "`audio` in base64. At most a minute may wait to be transcribed.",
    ],
    ["`input_audio_buffer.commit`", "Ends the turn. Without turn detection the only way to do so."],
    ["`input_audio_buffer.clear`", "Discards the turns that are not completed."],
  ],
  received: [
    ["`session.created`, `session.updated`", "The session as it is now."],
    [
      "`input_audio_buffer.speech_started`, `speech_stopped`, `committed`, `cleared`",
      "Times are milliseconds since the first sample of the configuration.",
    ],
    [
      "`conversation.item.added`, `conversation.item.done`",
      "The item of a turn; `created` in the beta.",
    ],
    [
      "`conversation.item.input_audio_transcription.delta`",
      `Words that are settled. With \`include: ["${unsettledField}"]\` each also has \`unsettled\`: what was said ` +
        "after them, and may still change.",
    ],
    [
      "`conversation.item.input_audio_transcription.completed`",
      `The \`transcript\` of the turn, which replaces its deltas. With \`include: ["${languageField}"]\` it also has ` +
        "its `language`, where it is known.",
    ],
    [
      "`conversation.item.input_audio_transcription.failed`",
      "Why a turn could not be transcribed.",
    ],
    ["`error`", "What is wrong with an event, with its `event_id`. The session goes on."],
  ],
} as const;

export const realtimeExample = (origin: string): string => `import { WebSocket } from "ws";
const socket = new WebSocket("${origin.replace("http", "ws")}/v1/realtime?intent=transcription", {
  headers: { authorization: \`Bearer \${process.env.HEARSAY_API_KEY}\` },
});
const audio = { input: { transcription: { model: "whisper-1", language: "en" } } };
const update = { type: "session.update", session: { type: "transcription", audio } };
socket.on("open", () => socket.send(JSON.stringify(update)));
socket.on("message", (data) => { const { delta } = JSON.parse(data); if (delta) process.stdout.write(delta); });
// 24 kHz, 16 bits, mono: arecord -t raw -f S16_LE -r 24000 | node live.mjs
process.stdin.on("data", (bytes) => socket.readyState === 1 &&
  socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: bytes.toString("base64") })));`;
