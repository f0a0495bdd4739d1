// Loads what the window needs before it is shown, and keeps it up to date.

import { subscribeToDesktop } from "../bridge/desktop.ts";
import { eventStream } from "../stores/event-stream.ts";
import { loadMessages } from "../messages/messages.ts";
import { matchInterfaceLanguage } from "../../main/contract/interface-languages.ts";
import { loadInfo } from "../stores/info.ts";
import { applyItemEvent, loadItems } from "../stores/items.ts";
import { syncBasePath } from "../stores/base-path-sync.ts";
import { loadModels, useModels } from "../stores/models.ts";
import { reloadPreferences, loadPreferences, usePreferences } from "../stores/preferences.ts";
import { logRequest } from "../stores/requests.ts";
import { go } from "../stores/route.ts";
import { loadTranscriptionQueue } from "../stores/transcription-queue.ts";
import { startClippedTextTitles } from "./clipped-text-titles.ts";
import { applyTheme } from "./theme.ts";

/** For windows without the frame. @throws ApiError if the app does not respond */
export async function loadAppearance(): Promise<void> {
  await loadPreferences();
  const { theme, language } = usePreferences.getState();
  applyTheme(theme);
  await loadMessages(language ?? matchInterfaceLanguage(navigator.languages));
}

/** @throws ApiError if the app does not respond */
export async function startFrame(): Promise<void> {
  await loadAppearance();
  const { hasSeenWelcome } = usePreferences.getState();
  if (!hasSeenWelcome && location.hash.length <= 2) go("/welcome", { replace: true });
  startClippedTextTitles();
  const stream = eventStream();
  syncBasePath();
  stream.subscribe((event) => {
    applyItemEvent(event);
    if (event.type === "request") logRequest(event.request);
    if (event.type === "transcription-queue") void loadTranscriptionQueue();
    if (event.type === "preferences") void reloadPreferences();
    if (event.type === "server" || event.type === "offline") void loadInfo();
    const haveModelsChanged =
      event.type === "models" || (event.type === "channels" && event.isHealthOnly !== true);
    if (haveModelsChanged && useModels.getState().isLoaded) void loadModels();
  });
  stream.onState((isOpen) => {
    // Events were missed while the stream was closed.
    if (isOpen)
      void Promise.all([
        loadItems(),
        loadTranscriptionQueue(),
        loadInfo(),
        reloadPreferences(),
        useModels.getState().isLoaded && loadModels(),
      ]);
  });
  void Promise.all([loadItems(), loadTranscriptionQueue(), loadInfo(), subscribeToDesktop()]);
}
