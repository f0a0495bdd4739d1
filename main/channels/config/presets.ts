// Known providers, so that adding one needs little more than a key. Addresses, model names and voices come from the
// providers' documentation; a person can change all of them.

import type { ChannelPreset } from "../../contract/channels.ts";
import { createMessage } from "../../contract/messages/messages.ts";

export const channelPresets: readonly ChannelPreset[] = [
  {
    id: "openai",
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    prefix: "openai",
    // Its list also contains chat, image and embedding models.
    modelFilter: ["whisper*", "*transcribe*", "*tts*"],
    needsKey: true,
    note: createMessage("preset.openai").message,
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
    note: createMessage("preset.groq").message,
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
    note: createMessage("preset.speaches").message,
  },
  {
    id: "localai",
    name: "LocalAI",
    baseUrl: "http://localhost:8080/v1",
    prefix: "localai",
    paid: false,
    needsKey: false,
    note: createMessage("preset.localai").message,
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
    note: createMessage("preset.kokoro-fastapi").message,
  },
  {
    id: "vllm",
    name: "vLLM",
    baseUrl: "http://localhost:8000/v1",
    prefix: "vllm",
    paid: false,
    needsKey: false,
    note: createMessage("preset.vllm").message,
  },
  {
    id: "hearsay",
    name: "Another Hearsay",
    baseUrl: "http://other-machine.local:4343/v1",
    prefix: "hearsay",
    paid: false,
    needsKey: true,
    note: createMessage("preset.hearsay").message,
  },
];
