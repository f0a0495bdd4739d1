// The podcast feed: finished narrations that players on the local network may fetch under a secret address.

import { z } from "zod";

/** Below it, the API port serves the feed: its secret, then the name of a file. */
export const feedPathPrefix = "/feed/";
/** Players on phones open links that end like this. */
export const feedFileName = "podcast.xml";

export const podcastFeed = z.object({
  isOn: z.boolean(),
  /** On the API port, with the secret; omitted before the feed was first switched on. */
  path: z.string().optional(),
  /** Finished narrations, and how many of them have their audio file already. */
  episodes: z.object({ ready: z.int(), total: z.int() }),
});
export type PodcastFeed = z.infer<typeof podcastFeed>;

/** Keeps the secret of a feed's address out of logs. */
export const redactFeedPath = (url: string): string =>
  url.replace(/(\/feed\/+)[^/?#]+/i, "$1[secret]");

/** What is stored of the feed. The secret stays while it is off, so that subscriptions work again later. */
export const feedSettings = z.object({ isOn: z.boolean(), secret: z.string() });
export type FeedSettings = z.infer<typeof feedSettings>;
