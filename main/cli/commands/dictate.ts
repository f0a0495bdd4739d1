// hearsay dictate: triggers the dictation key of the running desktop app, for desktops that bind keys to commands.

import type { Command } from "./command.ts";
import { callRunningApp, runningAppSettings } from "./running-app.ts";

export const dictate: Command = {
  usage: "dictate",
  summary:
    "begin to dictate into the desktop app that is running, or end it: bind it to a key of your desktop",
  options: {},
  settings: runningAppSettings,
  help: {},
  run: async (context) => ((await callRunningApp(context, "dictate")) === undefined ? 1 : 0),
};
