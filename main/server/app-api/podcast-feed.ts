// /app/feed: whether the podcast feed is on, and its address.

import type { FeedServing } from "../feed/podcast-feed.ts";
import type { AppApiRoutes } from "./handlers.ts";

export function podcastFeedRoutes(feed: FeedServing): AppApiRoutes {
  return {
    handlers: {
      readPodcastFeed: feed.view,
      async changePodcastFeed({ isOn }) {
        await feed.setOn(isOn);
        return feed.view();
      },
      async renewPodcastFeed() {
        feed.renew();
        return feed.view();
      },
    },
    rawRoutes: [],
  };
}
