// Messages about models on this machine: what they cannot do, and what they lack. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const modelMessages = {
  "model.languageNeeded": [
    "missing_field",
    "The model '{model}' needs the language of the speech: one of {languages}.",
  ],
  "model.noPrompt": [
    "unsupported_value",
    "The model '{model}' takes no prompt. Leave it out, or choose a Whisper model.",
  ],
  "model.noDiarization": [
    "unsupported_value",
    "Speakers cannot be told apart: this installation comes without the model for it.",
  ],
  "model.noTranslation": ["unsupported_value", "The model '{model}' does not translate{others}."],
  "model.noWordTimes": [
    "unsupported_value",
    "The model '{model}' gives no times of single words. Ask for those of segments.",
  ],
  "model.onlyStreams": [
    "invalid_value",
    joinText(
      "'{model}' transcribes speech in chunks of a fixed length while it is spoken, which of NeMo's models is not ",
      "supported: choose the model of the same name without 'streaming', which is also more accurate.",
    ),
  ],
  "model.otherPhonemes": [
    "model_unusable",
    "The voice {model} was not made for the pronunciations of eSpeak NG, which are the only ones here.",
  ],
  "model.tooLarge": [
    "model_too_large",
    "The model '{model}' needs about {needed, number} MB of memory, and {free, number} MB are free. {advice}",
  ],
  "model.adviceLimit": joinText(
    "A smaller model helps, or a higher memory limit for the engines (Settings, or HEARSAY_MEMORY_MB), or ",
    "closing other programs.",
  ),
  "model.adviceFree": "A smaller model helps, or closing other programs.",
} as const satisfies MessageTable;
