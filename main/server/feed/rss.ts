// The podcast feed as RSS 2.0 with the elements of Apple Podcasts, which every player reads. Pure.
// https://www.rssboard.org/rss-specification, https://podcasters.apple.com/support/823-podcast-requirements

import { escapeUTF8 } from "entities";
import type { Episode } from "../../jobs/narration/narration-episodes.ts";
import { toXmlText } from "../../transcript/paragraph-heading.ts";

export type FeedOptions = {
  title: string;
  description: string;
  /** Address of the feed itself. */
  feedUrl: string;
  episodes: readonly (Episode & { audioUrl: string; coverUrl?: string })[];
};

const escape = (text: string): string => escapeUTF8(toXmlText(text));
const element = (name: string, text: string): string => `<${name}>${escape(text)}</${name}>`;

export function renderFeed({ title, description, feedUrl, episodes }: FeedOptions): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"' +
      ' xmlns:atom="http://www.w3.org/2005/Atom">',
    "<channel>",
    element("title", title),
    element("link", feedUrl),
    element("description", description),
    `<atom:link href="${escape(feedUrl)}" rel="self" type="application/rss+xml"/>`,
    element("itunes:author", title),
    element("itunes:explicit", "false"),
    '<itunes:category text="Arts"><itunes:category text="Books"/></itunes:category>',
    // Directories must not list it.
    element("itunes:block", "Yes"),
    ...episodes.flatMap(itemLines),
    "</channel>",
    "</rss>",
  ];
  return `${lines.join("\n")}\n`;
}

const itemLines = (episode: FeedOptions["episodes"][number]): string[] => [
  "<item>",
  element("title", episode.title),
  ...(episode.excerpt === "" ? [] : [element("description", episode.excerpt)]),
  ...(episode.author === "" ? [] : [element("itunes:author", episode.author)]),
  `<enclosure url="${escape(episode.audioUrl)}" length="${episode.sizeBytes}" type="audio/mpeg"/>`,
  `<guid isPermaLink="false">hearsay:${escape(episode.itemId)}</guid>`,
  element("pubDate", new Date(episode.publishedAtMs).toUTCString()),
  element("itunes:duration", String(Math.round(episode.durationSec))),
  ...(episode.coverUrl === undefined ? [] : [`<itunes:image href="${escape(episode.coverUrl)}"/>`]),
  "</item>",
];
