// hearsay dictate: triggers the dictation key of the running desktop app, for desktops that bind keys to commands.

import type { Command } from "./command.ts";
import { callRunningApp, runningAppSettings } from "./running-app.ts";

export const dictate: Command = {
  usage: "dictate",
  summary:
    "start or stop dictation in the running desktop app; bind it to a shortcut of your desktop",
  options: {},
  settings: runningAppSettings,
  help: {},
  async run(context) {
    await callRunningApp(context, "dictate");
    return 0;
  },
};
