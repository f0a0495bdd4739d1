// Known providers, so that adding one needs little more than a key. Addresses, model names and voices come from the
// providers' documentation; a person can change all of them.

import type { ChannelPreset } from "../../contract/channels.ts";

export const channelPresets: readonly ChannelPreset[] = [
  {
    id: "openai",
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    prefix: "openai",
    // Its list also contains chat, image and embedding models.
    modelFilter: ["whisper*", "*transcribe*", "*tts*"],
    needsKey: true,
    note: "Hears and speaks in the cloud, paid by the minute and by the character.",
  },
  {
    id: "groq",
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    prefix: "groq",
    modelFilter: ["*whisper*", "*orpheus*", "*tts*"],
    // Voices of its English Orpheus that sound similar to OpenAI's: women for nova and shimmer, men for echo and onyx.
    voiceNames: {
      alloy: "hannah",
      echo: "austin",
      fable: "daniel",
      onyx: "troy",
      nova: "autumn",
      shimmer: "diana",
    },
    needsKey: true,
    note: "Whisper in the cloud, many times faster than speech, and Orpheus voices for short texts.",
  },
  {
    id: "speaches",
    name: "Speaches",
    baseUrl: "http://localhost:8000/v1",
    prefix: "speaches",
    // Rejects these three of OpenAI's voice names but accepts the mapped ones. All of them get the model's first voice.
    voiceNames: { fable: "verse", onyx: "ash", nova: "coral" },
    paid: false,
    needsKey: false,
    note: "A server of your own for Whisper, Kokoro and Piper models, which it downloads by name.",
  },
  {
    id: "localai",
    name: "LocalAI",
    baseUrl: "http://localhost:8080/v1",
    prefix: "localai",
    paid: false,
    needsKey: false,
    note: "A server of your own for models of every kind: name those that hear and speak in the filter.",
  },
  {
    id: "kokoro-fastapi",
    name: "Kokoro-FastAPI",
    baseUrl: "http://localhost:8880/v1",
    prefix: "kokoro",
    // Its list repeats the model under OpenAI's names.
    modelFilter: ["kokoro*"],
    // Kokoro has voices with these names, except shimmer.
    voiceNames: {
      alloy: "af_alloy",
      echo: "am_echo",
      fable: "bm_fable",
      onyx: "am_onyx",
      nova: "af_nova",
      shimmer: "af_sky",
    },
    paid: false,
    needsKey: false,
    note: "A server of your own that speaks with the Kokoro voices, and does not hear.",
  },
  {
    id: "vllm",
    name: "vLLM",
    baseUrl: "http://localhost:8000/v1",
    prefix: "vllm",
    paid: false,
    needsKey: false,
    note: "A server of your own for one model on a graphics card, for many requests at once; it has a key where it was started with one.",
  },
  {
    id: "hearsay",
    name: "Another Hearsay",
    baseUrl: "http://other-machine.local:4343/v1",
    prefix: "hearsay",
    paid: false,
    needsKey: true,
    note: "Hearsay on another machine: put its address in place of this one, and a key made there.",
  },
];
