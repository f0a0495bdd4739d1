// Wires the podcast feed: the files of its episodes, its address, and the events of both.

import { join } from "node:path";
import { createNarrationEpisodes } from "../jobs/narration/narration-episodes.ts";
import { createFeedServing } from "../server/feed/podcast-feed.ts";
import type { Services } from "./services.ts";

export function wirePodcastFeed({
  platform,
  events,
  log,
  stored,
  jobs,
}: Pick<Services, "platform" | "events" | "log" | "stored" | "jobs">) {
  const { items, narrationJobs } = jobs;
  const onChange = (): void => events.publish({ type: "feed" });
  const episodes = createNarrationEpisodes({
    items,
    narrationJobs,
    pronunciations: jobs.vocabulary.pronunciations,
    folder: join(platform.dataDir, "podcast"),
    onChange,
    log: log.child({ room: "jobs" }),
  });
  events.onEvent((event) => {
    if (event.type === "item-removed") void episodes.remove(event.id).catch(() => {});
  });
  const feed = createFeedServing({
    configuration: stored.configuration,
    episodes,
    readDetails: narrationJobs.readDetails,
    onChange,
    onAnswered: (request) =>
      events.publish({
        type: "request",
        request: { ...request, key: "", endpoint: "feed", model: "", channel: "local" },
      }),
  });
  return { feed, episodes };
}
