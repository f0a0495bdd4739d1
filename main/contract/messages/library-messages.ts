// Messages about the library and its archives. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const libraryMessages = {
  "archive.tooManyFiles": ["invalid_request", "The archive contains too many files."],
  "archive.checksum": [
    "invalid_request",
    "The archive is damaged: the checksum of a file in it does not match.",
  ],
  "archive.textTooLarge": [
    "invalid_request",
    "A transcript or script in the archive is too large.",
  ],
  "archive.nameClash": [
    "invalid_request",
    "The archive is damaged: it contains two files with the same name.",
  ],
  "archive.unreadable": ["invalid_request", "The file is not a readable ZIP archive: {why}."],
  "archive.tooHeavy": [
    "invalid_request",
    "The archive could not be read: it takes too long, needs too much memory, or is damaged.",
  ],
  "archive.foreign": ["invalid_request", "This is not an archive of a Hearsay library."],
  "item.unknown": [
    "not_found",
    "There is no item '{id}' in the library. It may have been removed.",
  ],
  "watch.itemRemoved": "The transcript was removed before it was finished.",
  "watch.cancelled": "The transcription was cancelled.",
  "watch.notWritten":
    "The transcript of '{name}' could not be written into the folder. It is in the library.",
  "item.selectionUnknown": [
    "not_found",
    "The selection is no longer known. Select the items again.",
  ],
  "person.unknown": ["not_found", "This person is not remembered (any more)."],
  "person.nameTaken": ["name_taken", "Somebody named '{name}' is remembered already."],
  "person.notInTranscript": [
    "invalid_request",
    "Nobody in this transcript is called '{speaker}'. It may have been changed meanwhile.",
  ],
  "person.tooLittle": [
    "audio_too_short",
    "'{speaker}' speaks alone for less than {seconds} seconds in this recording: too little to remember a voice by.",
  ],
  "library.replaced": [
    "library_unavailable",
    "The library in the data folder was removed or replaced while Hearsay was running. Restart Hearsay.",
  ],
  "library.newer": [
    "conflict",
    joinText(
      "The library in the data folder was written by a newer Hearsay (its schema is {schema}, ",
      "this one knows {known}). Use that version, or another data folder.",
    ),
  ],
  "library.noRoom": [
    "storage_full",
    "The library in the data folder cannot be opened: there is no room left on the disk.",
  ],
  "library.unopenable": ["internal", "The library in the data folder cannot be opened: {why}."],
  "library.lost": [
    "library_unavailable",
    "The library in the data folder is lost. There are copies of it: start Hearsay once, which restores the newest.",
  ],
  "library.unavailable": [
    "library_unavailable",
    joinText(
      "The library in the data folder cannot be opened at the moment. ",
      "Free some disk space or restore its permissions: Hearsay then opens it automatically.",
    ),
  ],
  "library.unreadable": [
    "library_unavailable",
    joinText(
      "Something in the library cannot be read: it is damaged, or its disk is failing. ",
      "Restart Hearsay, which then restores what can be restored.",
    ),
  ],
  "library.keysUnreadable": [
    "library_unavailable",
    "The library with the API keys cannot be read: for now, only the owner's key is accepted.",
  ],
  "library.interrupted": [
    "storage_unavailable",
    "The library was interrupted during this. Check whether it took effect, and try again if not.",
  ],
  "orphan.narration": joinText(
    "The library was damaged. Of this narration only its takes were found: ",
    "its script is lost. An archive of the library may hold it.",
  ),
  "orphan.item": joinText(
    "The library was damaged. Of this item only its {extension} file was found. ",
    "Transcribe it again, or restore it from an archive of the library.",
  ),
  "search.tooManyMatches": [
    "invalid_value",
    "This occurs in more than {max} places. Search for a longer text, or in fewer items.",
  ],
  "transcript.noFont": [
    "unsupported_format",
    joinText(
      "No font on this machine has the character '{character}', so this text cannot be saved as PDF. ",
      "Use another format, or install a font for it.",
    ),
  ],
  "transcript.none": ["not_found", "This item has no transcript yet."],
  "transcript.changedMeanwhile": [
    "conflict",
    "The transcript was changed elsewhere in the meantime. Load it again, then repeat the change.",
  ],
  "transcript.reversedSegment": ["invalid_value", "The segment {segment} ends before it begins."],
} as const satisfies MessageTable;
