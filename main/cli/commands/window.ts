// hearsay window: prints a new link to the window of the running app.

import type { Command } from "./command.ts";
import { callRunningApp, runningAppSettings } from "./running-app.ts";

export const window: Command = {
  usage: "window",
  summary: "print a new link to the window of the running app",
  options: {},
  settings: runningAppSettings,
  help: {},
  async run(context) {
    const { url } = await callRunningApp(context, "newLaunchUrl");
    await context.print(`${url}\n`);
    return 0;
  },
};
