// Messages about requests over HTTP and their fields. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const requestMessages = {
  "fault.notText": "must be a string",
  "fault.empty": "must not be empty",
  "fault.notListed": "must be one of {values}",
  "fault.neither": "must be '{first}' or '{second}'",
  "fault.outOfRange": "must be a number from {min} to {max}",
  "fault.silent": "holds nothing to say",
  "fault.tooManyCharacters":
    "must have at most {max} characters; split a longer text and join the audio",
  "fault.noVoice": "must be a voice's name",
  "fault.noLanguage": "must be the code or the English name of a language, such as 'es'",
  "fault.notAscii": "must have no spaces or letters beyond ASCII",
  "fault.noDate": "must be a date such as {example}",
  "fault.noAddress": "must be an http or https address, such as https://api.openai.com/v1",
  "fault.addressWithUser": "must not hold a user name or password: a key has a field of its own",
  "fault.addressWithQuery": "must end with its path",
  "fault.ownName": "must not be '{name}', which is this machine",
  "fault.reserved": "must not be '{name}'",
  "fault.prefix": "must be up to 40 lower-case letters, digits, dots, dashes",
  "fault.noScope": "must name at least one",
  "fault.modelId": "must be up to 200 letters, digits, dots, dashes and underscores",
  "fault.reservedName": "must not be a name that Windows keeps for a device",
  "fault.fileName": "must be a name that every system allows, below the model's folder",
  "fault.namesTwice": "must not name a file twice",
  "fault.webAddress": "must be an http or https address",
  "fault.unfit": "does not fit",
  "field.missing": ["missing_field", "You must provide the field '{field}'."],
  "field.tooLong": ["string_too_long", "'{field}' is longer than {max} bytes."],
  "field.faultyValue": ["invalid_value", "'{field}' {fault}; '{value}' was given."],
  "form.truncated": "it ends before its closing boundary",
  "form.malformed": "it is malformed",
  "form.tooManyFields": "it has too many fields",
  "form.wrongType": "the Content-Type must be multipart/form-data",
  "form.noBoundary": "the Content-Type names no boundary",
  "request.jsonTooDeep": ["invalid_request", "The JSON is nested too deep."],
  "request.notJson": ["invalid_request", "Could not parse the request body: it must be JSON."],
  "request.notObject": ["invalid_request", "The request body must be a JSON object."],
  "request.wrongMethod": ["wrong_method", "This address answers to {methods} only."],
  "request.optionsNotObject": ["invalid_value", "'options' must be a JSON object."],
  "request.overloaded": [
    "overloaded",
    "This machine is busy: {max} requests are running or waiting. Try again later.",
  ],
  "request.failed": [
    "internal",
    "The server failed on this request. Its log has the details under the id {requestId}.",
  ],
  "request.hostRefused": [
    "forbidden_host",
    joinText(
      "This server does not answer to the host name '{host}'. ",
      "Started with HEARSAY_HOST=0.0.0.0, it answers to every name, and to other machines.",
    ),
  ],
  "request.keyMissing": [
    "authentication",
    'No API key was given. Send it in the header "Authorization: Bearer <API key>".',
  ],
  "request.keyMalformed": [
    "authentication",
    'Invalid API key: the Authorization header is not of the form "Bearer <API key>".',
  ],
  "request.keyInvalid": ["authentication", "Invalid API key."],
  "request.commandLineOnly": [
    "owner_only",
    "This address is for the command line on this machine.",
  ],
  "request.ownerOnly": ["owner_only", "This address requires the owner's own key."],
  "request.originRefused": [
    "forbidden_origin",
    "This address is not for web pages of other origins.",
  ],
  "realtime.upgrade": [
    "invalid_request",
    "This address is for WebSockets: open it with ws:// instead of http://.",
  ],
  "realtime.unavailable": ["unknown_route", "This server has no realtime sessions."],
  "realtime.noConversation": [
    "unsupported_value",
    "Realtime sessions are for transcription only: set the type 'transcription'.",
  ],
  "realtime.noSemanticVad": [
    "unsupported_value",
    "'semantic_vad' is not supported: use 'server_vad', or null and commit the audio yourself.",
  ],
  "realtime.tooMany": ["overloaded", "{max} realtime sessions are open already. Try again later."],
  "realtime.tooFast": [
    "overloaded",
    "Audio comes faster than it can be transcribed: {max} seconds wait already. This part was dropped.",
  ],
  "realtime.otherModel": [
    "unsupported_value",
    "This session is served by the provider of '{model}'. Open another one for another model.",
  ],
  "realtime.notBase64": ["invalid_value", "'audio' must be base64."],
  "realtime.nothingToCommit": [
    "invalid_value",
    "There is nothing to commit: the buffer has less than {minMs} ms of audio.",
  ],
  "request.urlMalformed": [
    "invalid_request",
    "The URL or the Host header of the request is malformed.",
  ],
  "request.manyHosts": ["invalid_request", "The request has more than one Host header."],
  "request.expectation": [
    "expectation_failed",
    "The only 'Expect' that can be met is '100-continue'.",
  ],
  "request.ownLoop": [
    "channel_loop",
    "This request came from this gateway itself: one of its channels leads back to it.",
  ],
  "request.longLoop": ["channel_loop", "This request came through more than {max} gateways."],
  "request.formMalformed": ["invalid_request", "Could not parse multipart form: {why}."],
  "request.manyFiles": ["invalid_request", "Send one recording: 'file' came twice."],
  "request.fileTooLarge": [
    "file_too_large",
    "File too large: the maximum is 25 MB ({bytes} bytes).",
  ],
  "request.fileAsText": [
    "invalid_request",
    "'file' arrived as text, not as an upload. With curl, write -F file=@recording.mp3, with the @.",
  ],
  "request.fileFormat": [
    "unsupported_format",
    "Invalid file format. Supported formats: [{formats}]",
  ],
  "request.brokenOff": [
    "invalid_request",
    "The connection ended before the whole request body had arrived.",
  ],
  "request.scopeMissing": [
    "scope_missing",
    "The API key '{key}' may not do this: it lacks the scope '{scopes}'.",
  ],
  "request.modelEscaping": ["invalid_request", "The model id in the URL is not properly escaped."],
  "request.granularities": [
    "invalid_value",
    "'timestamp_granularities' needs the response_format 'verbose_json'.",
  ],
  "request.diarizedTranslation": [
    "unsupported_value",
    "The response_format 'diarized_json' is for transcriptions, not for translations.",
  ],
  "request.knownSpeaker": [
    "invalid_value",
    "The recording of '{name}' in 'known_speaker_references' holds less than a second of speech.",
  ],
  "request.knownSpeakers": [
    "invalid_value",
    joinText(
      "'known_speaker_names' and 'known_speaker_references' need the response_format 'diarized_json', one ",
      "reference for each name, and at most {max} of them.",
    ),
  ],
  "request.knownSpeakerAudio": [
    "invalid_value",
    "'known_speaker_references' must be audio as data URLs in base64.",
  ],
  "request.diarize": ["invalid_value", "'diarize' needs the response_format 'verbose_json'."],
  "request.language": [
    "invalid_value",
    "Unknown language '{language}': use an ISO-639-1 code such as 'en', or an English name.",
  ],
  "request.bodyTooLarge": ["body_too_large", "The request body is larger than {bytes} bytes."],
  "request.tooSlow": [
    "request_timeout",
    "The request body arrives too slowly: less than {bytes} bytes a second.",
  ],
  "request.stalled": [
    "request_timeout",
    "No byte of the request body arrived for {seconds} seconds.",
  ],
  "request.tooLate": ["request_timeout", "The request took too long to arrive."],
  "request.headersTooLarge": ["headers_too_large", "The headers of the request are too large."],
  "request.notHttp": ["invalid_request", "The request is not valid HTTP."],
  "request.fileInOtherField": [
    "missing_field",
    "You must provide the field 'file'. A file came in the field '{field}' instead.",
  ],
  "request.unknownRoute": [
    "unknown_route",
    "Invalid URL ({method} {path}). The addresses served are listed at /docs.",
  ],
  "request.similarRoute": [
    "unknown_route",
    "Invalid URL ({method} {path}). Did you mean {similar}?",
  ],
  "request.doubledRoute": [
    "unknown_route",
    "Invalid URL ({method} {path}). Did you mean {similar}? The base URL seems to be joined twice.",
  ],
  "window.notBuilt": ["internal", 'The window\'s page has not been built: run "npm run build".'],
  "window.misdirected": ["misdirected", "The window does not answer to the address '{host}'."],
  "window.noSession": [
    "authentication",
    "This window has no session, or the app was restarted. Open it with the link that Hearsay printed.",
  ],
  "window.noFile": ["unknown_route", "There is no such file."],
} as const satisfies MessageTable;
