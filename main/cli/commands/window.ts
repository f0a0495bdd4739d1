// hearsay window: a new link to the window of the Hearsay that is running here.

import type { Command } from "./command.ts";
import { askRunningApp, runningAppSettings } from "./running-app.ts";

export const window: Command = {
  usage: "window",
  summary: "print a new link that opens the window of the Hearsay that is running",
  options: {},
  settings: runningAppSettings,
  help: {},
  async run(context) {
    const answer = await askRunningApp(context, "newLaunchUrl");
    if (answer === undefined) return 1;
    await context.print(`${answer.url}\n`);
    return 0;
  },
};
