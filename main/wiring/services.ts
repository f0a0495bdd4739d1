// The services behind the ports, as the modules of this folder create them.

import type { ModelTrials } from "../inference/model-trials.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { WatchFolder } from "../jobs/watch-folder/watch-folder.ts";
import type { Forgetting } from "../library/forgetting.ts";
import type { WiredChannels } from "./channels.ts";
import type { WiredEngines } from "./engines.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredLibrary } from "./library.ts";
import type { WiredModels } from "./models.ts";
import type { WiredNetwork } from "./network.ts";
import type { WiredSettings } from "./settings.ts";

export type Services = Foundation & {
  library: WiredLibrary;
  stored: WiredSettings;
  models: WiredModels;
  network: WiredNetwork;
  engines: WiredEngines;
  trials: ModelTrials;
  serving: WiredChannels;
  jobs: Jobs;
  watchFolder: WatchFolder;
  forgetting: Forgetting;
};
