// Messages about narrations and the documents they are read from. See messages.ts.

import type { MessageTable } from "./message-table.ts";

export const narrationMessages = {
  "document.tooSlow": [
    "unsupported_format",
    "The file takes longer than {seconds} seconds to read. It may be damaged, or needs to be split into several files.",
  ],
  "document.tooMuchMemory": [
    "unsupported_format",
    "The file could not be read: it needs more memory than a document may use, or is damaged.",
  ],
  "document.silent": ["nothing_to_say", "The file has no text that could be narrated."],
  "document.unknownFormat": [
    "unsupported_format",
    "This is not one of the formats that can be read: {formats}.",
  ],
  "document.binary": ["unsupported_format", "The file is not a text file."],
  "document.tooLargeUnpacked": [
    "file_too_large",
    "Unpacked, the document is larger than what can be read.",
  ],
  "document.encryptedPdf": [
    "unsupported_format",
    "The PDF is protected by a password: save it without one.",
  ],
  "document.damagedPdf": ["unsupported_format", "The PDF is damaged and could not be read."],
  "document.scannedPdf": [
    "nothing_to_say",
    "The PDF has no text: its pages are pictures, as of a scan. Run text recognition (OCR) on it first.",
  ],
  "document.encryptedWord": [
    "unsupported_format",
    "The document is protected by a password: save it without one.",
  ],
  "document.damagedWord": [
    "unsupported_format",
    "The file is not a Word document, or it is damaged.",
  ],
  "document.oldWord": [
    "unsupported_format",
    "The document is in the format of Word before 2007 (.doc): open it in Word and save it as .docx.",
  ],
  "document.noEpub": ["unsupported_format", "The file is not an EPUB book, or it is damaged."],
  "document.locked": [
    "unsupported_format",
    "The book is locked by its publisher (DRM): its text cannot be read.",
  ],
  "file.tooLarge": ["body_too_large", "The file is larger than {megabytes} MB."],
  "narration.coverFormat": ["invalid_request", "A cover is a JPEG or PNG picture."],
  "narration.incomplete": [
    "invalid_request",
    "{missing} of {all} sentences have not been generated yet. Generate them first.",
  ],
  "narration.silent": ["nothing_to_say", "The script has nothing that can be spoken."],
  "narration.assemblyFailed": ["engine_failed", "Assembling the narration failed twice."],
  "narration.takeNeedsSentences": [
    "missing_field",
    "A new take needs 'sentenceIds': the sentences it is for.",
  ],
  "narration.nothingToCheck": [
    "invalid_request",
    "There is nothing to check yet: generate the narration first.",
  ],
  "narration.sentenceUnknown": [
    "not_found",
    "This sentence is no longer in the script. Load it again.",
  ],
  "narration.takeUnknown": ["not_found", "This sentence has no such take."],
  "narration.tooMuchAudio": [
    "upstream_broken",
    "The channel sent far more audio than a sentence needs.",
  ],
  "narration.changedMeanwhile": [
    "conflict",
    "The script was changed elsewhere in the meantime. Load it again, then repeat the change.",
  ],
  "narration.none": ["not_found", "This item has no narration."],
  "narration.noCover": ["not_found", "This narration has no cover."],
  "narration.tooManySentences": [
    "string_too_long",
    "The text has more than {max, number} sentences, the most a narration can have. Split it into several narrations.",
  ],
  "narration.tooLong": [
    "string_too_long",
    "The text has more than {max, number} characters, the most a narration can have. Split it into several files.",
  ],
  "narration.notGenerated": ["engine_failed", "“{sentence}” could not be generated: {why}"],
  "narration.notChecked": ["engine_failed", "“{sentence}” could not be checked: {why}"],
  "narration.unexpected":
    "Something went wrong inside Hearsay. Its log has more. What was generated so far is kept.",
  "voice.unknown": ["not_found", "There is no voice '{voice}'."],
} as const satisfies MessageTable;
