// Messages about models, channels and providers. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const channelMessages = {
  "channel.noAnswer": ["upstream_timeout", "No answer within {seconds} s."],
  "channel.unknown": ["not_found", "There is no channel '{channel}'."],
  "channel.nameTaken": ["name_taken", "The name '{name}' is taken by the channel '{other}'."],
  "channel.keyVariableTaken": [
    "name_taken",
    joinText(
      "{variable} is set, and would be the key of the channels '{other}' and '{name}': ",
      "choose a name that differs in its letters or digits.",
    ),
  ],
  "channel.ownAddress": ["invalid_value", "The base URL is the address of this gateway itself."],
  "channel.leadsBack": [
    "channel_loop",
    "The base URL leads back to this gateway: requests sent there would come back here.",
  ],
  "channel.off": ["unknown_model", "The channel '{channel}' is switched off."],
  "channel.modelsUnknown": [
    "channel_resting",
    "The models of the channel '{channel}' are not known: {why}",
  ],
  "channel.loop": ["channel_loop", "The channel '{channel}' leads back to this gateway."],
  "channel.allPaused": [
    "channel_resting",
    joinText(
      "No channel with this model is available at the moment: ",
      "{channels} failed several times in a row. Try again in {seconds} s.",
    ),
  ],
  "channel.modelsPending": "they have not arrived yet.",
  "field.faulty": ["invalid_value", "'{field}' {fault}."],
  "model.unknown": ["unknown_model", "The model '{model}' does not exist.{known}"],
  "model.unknownOfKind": [
    "unknown_model",
    "The model '{model}' does not exist or is not a {kind} model.",
  ],
  "model.unreadable": ["model_unusable", "{file} of {model} cannot be read."],
  "model.damaged": ["model_unusable", "{file} of {model} is damaged: its sha256 does not match."],
  "model.incomplete": ["model_unusable", "{file} of {model} is missing or incomplete."],
  "model.notLoadable": ["model_unusable", "{model} cannot be loaded: {why}"],
  "model.endsProcess": "its process ended each time ({why}).",
  "model.exceedsMemory": "it takes far more memory than a model of its size should.",
  "model.setAside": [
    "model_unusable",
    "{model} is set aside until it is installed again. {reason}",
  ],
  "model.doesNotWork": ["model_unusable", "{model} failed in a trial on this machine. {reason}"],
  "model.trialTimeout": ["engine_failed", "It took longer than {sec} seconds."],
  "model.trialBusy": [
    "overloaded",
    "{model} was not tried: this machine is transcribing or speaking all the time. Try again once that has ended.",
  ],
  "model.wrongText": joinText(
    "In a trial on this machine it wrote “{text}” instead of “{expected}”. ",
    "It may be broken, or made for another language.",
  ),
  "model.silence": "In a trial on this machine it generated silence. It may be broken.",
  "model.providerFailed": "{provider} is not used: it failed. {reason}",
  "model.providerStopped":
    "{provider} is not used until the speed is measured again: it failed where the CPU did not. {reason}",
  "model.providerDiffers": "{provider} is not used: it gave another text than the CPU.",
  "model.providerSpeed": "{provider} is {factor} times as fast as the CPU.",
  "model.noClip": ["not_found", "There is no clip '{clip}' to measure models with."],
  "model.noMeasurement": ["not_found", "There is no such measurement."],
  "model.removed": ["model_unusable", "{model} was removed while it was in use."],
  "model.notInstalled": ["not_found", "There is no model '{model}' on this machine."],
  "model.shipped": [
    "conflict",
    "{model} comes with the app and can be neither removed nor replaced.",
  ],
  "model.known": " Available here: {models}.",
  "model.knownAndMore": " Available here: {models} and {more} more.",
  "model.forTranscription": ["invalid_value", "The model '{model}' is for transcription.{known}"],
  "model.forSpeech": ["invalid_value", "The model '{model}' is for speech.{known}"],
  "preset.openai":
    "Speech to text and text to speech in the cloud, paid by the minute and by the character.",
  "preset.groq":
    "Whisper in the cloud, many times faster than real time, and Orpheus voices for short texts.",
  "preset.speaches":
    "A server of your own for Whisper, Kokoro and Piper models, which it downloads by name.",
  "preset.localai":
    "A server of your own for models of every kind: name those for speech in the filter.",
  "preset.kokoro-fastapi":
    "A server of your own that generates speech with the Kokoro voices, and does not transcribe.",
  "preset.vllm": joinText(
    "A server of your own for one model on a graphics card, for many requests at once; ",
    "it has a key if it was started with one.",
  ),
  "preset.hearsay":
    "Hearsay on another machine: replace this address with its own, and enter a key created there.",
  "test.reached": "answers within {ms} ms",
  "test.notTried": "not tried",
  "test.keyAccepted": "the key was accepted",
  "test.keyNeeded": "a key is needed: {why}",
  "test.noKeyNeeded": "no key was required",
  "test.noList": "the provider has no list of its models",
  "test.unversioned": "{why} (most addresses end in /v1; this one has no version)",
  "test.noModels": "no models, or none that the filter lets through",
  "test.models": "models: {count}; for transcription: {transcription}, for speech: {speech}",
  "test.noTranscriptionModel": "no model for transcription is known",
  "test.noSpeechModel": "no model for speech is known",
  "test.wrongWords": "{model} transcribed “{text}” instead of “{expected}”",
  "test.noWords": "{model} transcribed nothing instead of “{expected}”",
  "test.transcribed": "{model} transcribed “{text}” in {ms} ms",
  "test.noVoice": "{model} does not have the voice '{voice}': {why}",
  "test.noAudio": "{model} answered without audio",
  "test.spoke": "the first audio of {model} came after {ms} ms",
  "test.mayBeLoading": "{model}: {why} It may have to be loaded first: try again.",
  "test.modelFailed": "{model}: {why}",
  "upstream.refused": [
    "upstream_error",
    "The channel '{channel}' was refused by its provider: {text}",
  ],
  "upstream.status": [
    "upstream_error",
    "The channel '{channel}' answered with the status {status}.",
  ],
  "upstream.oddStatus": [
    "upstream_broken",
    "The channel '{channel}' answered with the status {status}, which means nothing here.",
  ],
  "upstream.reportedError": ["upstream_broken", "The channel '{channel}' reported an error."],
  "upstream.connectionRefused": [
    "upstream_unreachable",
    "The channel '{channel}' cannot be reached: the connection was refused.",
  ],
  "upstream.unknownHost": [
    "upstream_unreachable",
    "The channel '{channel}' cannot be reached: its address's name is not known.",
  ],
  "upstream.noRoute": [
    "upstream_unreachable",
    "The channel '{channel}' cannot be reached: there is no way to its network.",
  ],
  "upstream.closed": [
    "upstream_unreachable",
    "The channel '{channel}' closed the connection without an answer.",
  ],
  "upstream.connectTimeout": [
    "upstream_timeout",
    "The channel '{channel}' did not take the connection in time.",
  ],
  "upstream.lateStart": [
    "upstream_timeout",
    "The channel '{channel}' did not begin to answer in time.",
  ],
  "upstream.stopped": [
    "upstream_timeout",
    "The channel '{channel}' stopped in the middle of its answer.",
  ],
  "upstream.lateEnd": [
    "upstream_timeout",
    "The channel '{channel}' did not finish its answer in time.",
  ],
  "upstream.brokenOff": [
    "upstream_broken",
    "The channel '{channel}' broke off in the middle of its answer.",
  ],
  "upstream.notHttp": [
    "upstream_broken",
    "The channel '{channel}' answered with something that is not proper HTTP.",
  ],
  "upstream.untrusted": [
    "upstream_broken",
    "The channel '{channel}' has no certificate or encryption that can be trusted.",
  ],
  "upstream.switchedOff": ["channel_closed", "The channel '{channel}' was switched off."],
  "upstream.notJson": [
    "upstream_broken",
    "The channel '{channel}' answered with {contentType}, not with JSON.",
  ],
  "upstream.brokenJson": ["upstream_broken", "The channel '{channel}' answered with broken JSON."],
  "upstream.noModelList": [
    "upstream_broken",
    "The channel '{channel}' answered with JSON that is no list of models.",
  ],
  "upstream.noTranscript": [
    "upstream_broken",
    "The channel '{channel}' answered with JSON that is no transcript.",
  ],
  "upstream.brokenEvent": [
    "upstream_broken",
    "The channel '{channel}' sent an event that is not JSON.",
  ],
  "upstream.noAudio": ["upstream_broken", "The channel '{channel}' answered without any audio."],
  "upstream.notAudio": [
    "upstream_broken",
    "The channel '{channel}' answered with {contentType}, not with audio.",
  ],
  "upstream.otherFormat": [
    "upstream_broken",
    "The channel '{channel}' answered with audio that is not {format}.",
  ],
  "upstream.tooLarge": [
    "upstream_broken",
    "The channel '{channel}' answered with far more than was requested.",
  ],
  "upstream.compressed": [
    "upstream_broken",
    "The channel '{channel}' compresses its answers, though it was requested not to.",
  ],
  "upstream.redirectsNowhere": ["upstream_broken", "The channel '{channel}' redirects to nowhere."],
  "upstream.redirectsAway": [
    "upstream_broken",
    "The channel '{channel}' redirects to {origin}, which is not followed: its base URL has to name the right address.",
  ],
  "upstream.redirectsBody": [
    "upstream_broken",
    "The channel '{channel}' redirects what was sent to it to another page.",
  ],
  "upstream.redirectsTooOften": [
    "upstream_broken",
    "The channel '{channel}' redirects more than {max} times.",
  ],
  "upstream.unsendableKey": [
    "upstream_broken",
    "The channel '{channel}' has a key with characters that no key can have.",
  ],
  "voice.unsupported": [
    "unsupported_value",
    "'voice' must be one of {voices}; '{voice}' was given.{near}",
  ],
  "voice.andMore": "{voices} or {more} others (GET /v1/audio/voices lists them)",
  "voice.near": " Did you mean {names}?",
  "voice.otherLanguage":
    "{voice} reads {language} as if it were its own language: no voice that knows it can take over.",
  "voice.unknownPhoneme": [
    "invalid_value",
    "'{phoneme}' in '{written}', at character {place} of the text, is none of the phonemes that voices here know.",
  ],
  "voice.notInEngine": ["unsupported_value", 'Voice "{voice}" is not one of {voices}.'],
} as const satisfies MessageTable;
