// Messages about transcription, audio files and the engines. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const audioMessages = {
  "audio.undecodable": [
    "undecodable_audio",
    "The audio file could not be decoded or its format is not supported.",
  ],
  "audio.tooShort": [
    "audio_too_short",
    "Audio file is too short. Minimum audio length is {min} seconds.",
  ],
  "audio.implausible": [
    "undecodable_audio",
    "The audio file is damaged: its tables claim more than a file of its size can contain.",
  ],
  "audio.tooLong": [
    "audio_too_long",
    "The audio is longer than {hours} hours, which is the limit.",
  ],
  "audio.noTrack": ["undecodable_audio", "The file has no audio track."],
  "audio.tooMuchMemory": [
    "undecodable_audio",
    "The audio file could not be decoded: it takes far more memory than audio needs.",
  ],
  "audio.stuck": [
    "undecodable_audio",
    "The audio file could not be decoded: decoding it got stuck.",
  ],
  "audio.tempSpace": [
    "temp_space_used_up",
    "The decoded audio needs more than the {megabytes} MB of temporary space that a file of this size may use.",
  ],
  "engine.encoderFailed": ["engine_failed", "The audio encoder failed twice."],
  "engine.partFailed": ["engine_failed", "The speech engine failed on this part twice."],
  "engine.exceedsMemory": [
    "engine_failed",
    "{model} took far more memory than a model of its size should.",
  ],
  "engine.keepsStopping": ["engine_failed", "The speech engine keeps stopping."],
  "file.undecodable": ["undecodable_audio", "The file could not be decoded."],
  "file.notAFile": ["invalid_value", "'{name}' is not a file."],
  "file.unreadable": ["not_found", "The file '{name}' cannot be read."],
  "item.noAudio": ["not_found", "This item has no audio."],
  "language.noTranslation": [
    "unsupported_language",
    "{why}, and this model does not translate{others}.",
  ],
  "language.unsupported": [
    "unsupported_language",
    "Language not supported: {why}. It knows {languages}.",
  ],
  "language.others": "{count} others",
  "language.is": "The language of the speech is '{language}'",
  "language.notEnglish": "The speech does not sound like English",
  "language.translators": " ({models} translates other languages)",
  "language.notTranslated": "this model does not translate '{language}' into English",
  "language.notTranscribed": "this model does not transcribe '{language}'",
  "model.noPhonemes": ["unknown_model", "There is no voice here to read phonemes for."],
  "recording.ended": ["conflict", "This recording has ended. Start a new one."],
  "recording.partTooLong": ["body_too_large", "Send at most a minute of audio at once."],
  "recording.empty": "Nothing was recorded. Check that the microphone is on, and record again.",
  "speech.silentInput": ["nothing_to_say", "The input has nothing that can be spoken."],
  "speech.silentField": ["nothing_to_say", "'input' holds nothing that can be spoken."],
  "transcription.emptyRange": ["invalid_value", "'toSec' must be greater than 'fromSec'."],
  "transcription.ofNarration": [
    "invalid_value",
    "A narration cannot be transcribed: it is generated from its text.",
  ],
  "transcription.recording": [
    "conflict",
    "This is still being recorded. Stop the recording first.",
  ],
  "transcription.nothingFailed": [
    "invalid_request",
    "Nothing failed here, so there is nothing to transcribe again.",
  ],
  "transcription.notStarted": "The app ended before this was started. Transcribe it again.",
  "transcription.unexpected": joinText(
    "Something unexpected went wrong on this machine. ",
    "What was transcribed so far is kept: try again, and it continues from there.",
  ),
} as const satisfies MessageTable;
