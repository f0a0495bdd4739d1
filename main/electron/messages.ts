// Texts of menus, notifications and system dialogs, in the languages of the window.

import { AppError } from "../contract/errors.ts";
import germanMessages from "../contract/messages/german-messages.json" with { type: "json" };
import { type SentMessage, translate } from "../contract/messages/messages.ts";
import type { Preferences } from "../contract/preferences.ts";

const en = {
  open: "Open Hearsay",
  quit: "Quit Hearsay",
  startServer: "Start server",
  stopServer: "Stop server",
  copyBaseUrl: "Copy API base URL",
  apiBaseUrl: "API base URL",
  record: "Record",
  dictate: "Dictate",
  file: "&File",
  openFiles: "Open files…",
  newNarration: "New narration",
  closeWindow: "Close window",
  edit: "&Edit",
  search: "Search the library",
  view: "&View",
  transcribe: "Transcribe",
  narrate: "Narrate",
  library: "Library",
  models: "Models",
  channels: "Channels",
  server: "Server",
  settings: "Settings…",
  help: "&Help",
  apiPage: "API documentation",
  dataFolder: "Data folder",
  mediaFiles: "Audio and video",
  allFiles: "All files",
  portTaken: "Port {wanted} is in use",
  portTakenBody: "The API listens on {port} instead.",
  serverFailed: "The server could not be started",
  startFailed: "Hearsay could not start",
  ownedElsewhere:
    "Another Hearsay is using this data folder and cannot be reached from here. " +
    "It may be running in a container or as another user. Stop it, then start Hearsay again.",
  notOpened: "Some files could not be opened",
  andMore: "… and {count} more",
  done: "Done",
  failed: "Failed",
  copied: "Copied to the clipboard",
  notTyped: "It could not be typed into the program in front.",
  unsaved: "Something here is not finished.",
  unsavedBody: "What was recorded or written so far is kept.",
  unsavedDictation: "What was dictated would be lost.",
  leave: "Close anyway",
  stay: "Stay",
  typeNeedsAccess:
    "Allow Hearsay in System Settings under Privacy & Security, Accessibility: then it can type.",
  typeNeedsXdotool: "Typing into other programs needs xdotool, which is not installed here.",
  typeNeedsWayland:
    "Typing into other programs needs wtype or ydotool, and neither is installed here.",
  dictation: "Dictation",
  stopRecording: "Stop recording",
  showRecording: "Show recording",
  recordingNow: "Recording, {time}",
  recordingPaused: "Recording paused, {time}",
  stillRecording: "The recording goes on",
  stillRecordingBody: "Stop it in the tray, or in the window when you open it again.",
  reloadAnyway: "Reload anyway",
};

export type Messages = Readonly<Record<keyof typeof en, string>>;

const de: Messages = {
  open: "Hearsay öffnen",
  quit: "Hearsay beenden",
  startServer: "Server starten",
  stopServer: "Server stoppen",
  copyBaseUrl: "Basis-URL der API kopieren",
  apiBaseUrl: "Basis-URL der API",
  record: "Aufnehmen",
  dictate: "Diktieren",
  file: "&Datei",
  openFiles: "Dateien öffnen …",
  newNarration: "Neue Vertonung",
  closeWindow: "Fenster schließen",
  edit: "&Bearbeiten",
  search: "Bibliothek durchsuchen",
  view: "&Ansicht",
  transcribe: "Transkribieren",
  narrate: "Vertonen",
  library: "Bibliothek",
  models: "Modelle",
  channels: "Kanäle",
  server: "Server",
  settings: "Einstellungen …",
  help: "&Hilfe",
  apiPage: "API-Dokumentation",
  dataFolder: "Datenordner",
  mediaFiles: "Audio und Video",
  allFiles: "Alle Dateien",
  portTaken: "Port {wanted} ist belegt",
  portTakenBody: "Die API lauscht stattdessen auf {port}.",
  serverFailed: "Der Server konnte nicht gestartet werden",
  startFailed: "Hearsay konnte nicht starten",
  ownedElsewhere:
    "Ein anderes Hearsay verwendet diesen Datenordner und ist von hier aus nicht erreichbar. " +
    "Vielleicht läuft es in einem Container oder unter einem anderen Benutzer. " +
    "Beenden Sie es und starten Sie Hearsay erneut.",
  notOpened: "Einige Dateien konnten nicht geöffnet werden",
  andMore: "… und {count} weitere",
  done: "Fertig",
  failed: "Fehlgeschlagen",
  copied: "In die Zwischenablage kopiert",
  notTyped: "Der Text konnte nicht in das Programm im Vordergrund getippt werden.",
  unsaved: "Hier ist noch etwas nicht fertig.",
  unsavedBody: "Was bisher aufgenommen oder geschrieben wurde, bleibt erhalten.",
  unsavedDictation: "Was diktiert wurde, ginge verloren.",
  leave: "Trotzdem schließen",
  stay: "Bleiben",
  typeNeedsAccess:
    "Erlauben Sie Hearsay in den Systemeinstellungen unter „Datenschutz & Sicherheit“ " +
    "die Bedienungshilfen: dann kann es tippen.",
  typeNeedsXdotool:
    "Um in andere Programme zu tippen, wird xdotool gebraucht; es ist hier nicht installiert.",
  typeNeedsWayland:
    "Um in andere Programme zu tippen, wird wtype oder ydotool gebraucht; keines ist hier installiert.",
  dictation: "Diktat",
  stopRecording: "Aufnahme beenden",
  showRecording: "Aufnahme anzeigen",
  recordingNow: "Aufnahme, {time}",
  recordingPaused: "Aufnahme pausiert, {time}",
  stillRecording: "Die Aufnahme läuft weiter",
  stillRecordingBody: "Beenden Sie sie im Infobereich oder im Fenster, wenn Sie es wieder öffnen.",
  reloadAnyway: "Trotzdem neu laden",
};

type Language = NonNullable<Preferences["language"]>;
const languages: Record<Language, Messages> = { en, de };
/** Messages of the app, which sends them in English. */
const sentMessages: Record<Language, Readonly<Partial<Record<string, string>>>> = {
  en: {},
  de: germanMessages,
};

const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code);

/** @param preferred language of the window, if set; otherwise the system's, if supported */
export function messagesFor(preferred: Language | undefined, systemLocale: string): Messages {
  const language = preferred ?? systemLocale.slice(0, 2);
  return isLanguage(language) ? languages[language] : en;
}

/** The text of an error in the language of these messages. */
export const describeError = (error: unknown, texts: Messages): string =>
  error instanceof AppError ? translateSent(error.sent, texts) : (error as Error).message;

/** The text of the app's message in the language of these messages. */
export function translateSent(sent: SentMessage, texts: Messages): string {
  const language = (Object.keys(languages) as Language[]).find((each) => languages[each] === texts);
  return language === undefined ? sent.message : translate(sent, sentMessages[language], language);
}

/** Replaces `{name}` by the value of that name. */
export function interpolate(
  message: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values[name] ?? placeholder),
  );
}
