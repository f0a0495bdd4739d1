// Messages about the app itself: its start, settings, keys, disk and updates. See messages.ts.

import { joinText, type MessageTable } from "./message-table.ts";

export const appMessages = {
  "app.alreadyRunning": ["conflict", "Another Hearsay is running on this data folder."],
  "app.keyringRefused": [
    "internal",
    "The system's keyring did not accept the key: unlock it, and try again.",
  ],
  "app.handoverRefused": ["internal", "The running Hearsay could not take the request: {why}."],
  "app.keyTooShort": [
    "conflict",
    "The API key is too short to serve other machines: it can be guessed. Use one with at least {length} characters.",
  ],
  "app.noWindow": ["not_found", "This Hearsay has no window."],
  "app.noDictation": [
    "not_found",
    "Dictating into other programs needs the desktop app: the running Hearsay has no window of its own.",
  ],
  "app.portsTaken": [
    "internal",
    "The server could not be started: the port and the ones after it are in use.",
  ],
  "app.addressRefused": [
    "internal",
    "The server could not be started: the system refuses the address ({code}).",
  ],
  "app.portTaken": [
    "conflict",
    "The port {port} is in use. The API stayed where it was: choose another port, from 1024 on.",
  ],
  "app.portRefused": [
    "conflict",
    joinText(
      "The system does not let Hearsay use the port {port}. ",
      "The API stayed where it was: choose another port, from 1024 on.",
    ),
  ],
  closing: ["closing", "Hearsay is shutting down."],
  "key.taken": ["name_taken", "There is a key named '{name}' already."],
  "key.unprintable": ["invalid_value", "A key consists of printable characters without spaces."],
  "key.unknown": ["not_found", "There is no API key '{name}'."],
  "key.budgetUsedUp": [
    "budget_used_up",
    "The API key '{key}' has used up its budget of {usd} USD for this month.",
  ],
  "key.priceUnknown": [
    "price_unknown",
    joinText(
      "The API key '{key}' has a budget, and the price of the model '{model}' is not known. ",
      "The owner of this Hearsay can set it: {command}, or on the Models page of its window.",
    ),
  ],
  "setting.notInteger": [
    "invalid_value",
    "--{flag} ({variable}) must be a whole number from {min} to {max}, not '{value}'.",
  ],
  "setting.notSwitch": ["invalid_value", "--{flag} ({variable}) must be 1 or 0, not '{value}'."],
  "setting.notAddress": [
    "invalid_value",
    "--{flag} ({variable}) must be an address such as https://example.org, not '{value}'.",
  ],
  "setting.notAliases": [
    "invalid_value",
    "{variable} must look like marin:nova,cedar:onyx; '{value}' does not.",
  ],
  "offline.refused": [
    "offline",
    "Offline is on, so {host} is not contacted. Switch it off in Settings, or use a model on this machine.",
  ],
  "offline.channel": [
    "offline",
    "Offline is on, so the channel '{channel}' is not used. Switch it off in Settings, or use a model on this machine.",
  ],
  "offline.given": [
    "conflict",
    "Offline was set when Hearsay was started (--{flag} or {variable}), so it cannot be changed here.",
  ],
  "storage.full": [
    "storage_full",
    "There is no room left on the disk. Free some space, then try again.",
  ],
  "storage.busy": [
    "storage_busy",
    "The library is in use by another program, such as a backup. Try again in a moment.",
  ],
  "storage.unavailable": [
    "storage_unavailable",
    joinText(
      "The data folder cannot be written to at the moment. ",
      "Check that its disk is connected and not read-only, then try again.",
    ),
  ],
  "storage.tooManyFiles": [
    "storage_unavailable",
    "Too many files are open on this machine. Close other programs, or raise the limit on open files; then try again.",
  ],
  "update.unsigned": [
    "internal",
    "This update is not signed by the publisher of this Hearsay. It was not installed.",
  ],
  "update.changed": [
    "internal",
    "This update differs from what its publisher signed. It was not installed.",
  ],
  "update.otherMachine": [
    "internal",
    "This update is for another kind of computer. It was not installed.",
  ],
  "update.older": [
    "internal",
    "The signed update is version {version}, which is not newer than this one. It was not installed.",
  ],
  "update.noManifest": [
    "internal",
    "The address for updates has no signed description of this update: {file} was answered with {status}.",
  ],
  "update.manifestTooLarge": [
    "internal",
    "{file} is larger than the description of an update can be.",
  ],
  "update.notInstalled": ["internal", "Only an installed Hearsay can be updated."],
  "folder.notOpened": ["internal", "The folder could not be opened: {reason}"],
  "login.notChanged": ["internal", "Starting at login could not be changed: {reason}"],
  verbatim: ["internal", "{text}"],
} as const satisfies MessageTable;
