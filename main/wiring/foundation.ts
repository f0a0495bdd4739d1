// What every other service is built on.

import type { AppEvents } from "../jobs/events.ts";
import type { Log } from "../log.ts";
import type { Platform } from "../platform.ts";
import type { Settings } from "../storage/settings/settings.ts";
import type { TempFolder } from "../storage/temp-folder.ts";

export type Foundation = {
  platform: Platform;
  settings: Settings;
  temp: TempFolder;
  events: AppEvents;
  log: Log;
};
