// Messages about Home Assistant's Wyoming protocol. See messages.ts.

import type { MessageTable } from "./message-table.ts";

export const wyomingMessages = {
  "wyoming.malformed": ["invalid_request", "This is not an event of the Wyoming protocol."],
  "wyoming.partTooLong": [
    "body_too_large",
    "An event of the Wyoming protocol may have at most {max} bytes in its {part}.",
  ],
  "wyoming.audioTooLong": [
    "audio_too_long",
    "The audio of a Wyoming request may have at most {max} bytes.",
  ],
  "wyoming.audioFormat": [
    "unsupported_format",
    "The audio of a Wyoming request must keep the format that it began with.",
  ],
  "wyoming.textTooLong": [
    "string_too_long",
    "The text of a Wyoming request may have at most {max} characters.",
  ],
  "wyoming.noRequest": [
    "invalid_request",
    "The event '{event}' does not belong to a request that was begun.",
  ],
  "wyoming.textFormat": ["unsupported_value", "The text must be plain: SSML is not read."],
  "wyoming.tooManyConnections": [
    "overloaded",
    "At most {max} connections with the Wyoming protocol may be open.",
  ],
  "wyoming.tooManyOfAddress": [
    "overloaded",
    "At most {max} connections with the Wyoming protocol may be open from one address.",
  ],
  "wyoming.idle": ["request_timeout", "Nothing was sent for {sec} seconds."],
} as const satisfies MessageTable;
