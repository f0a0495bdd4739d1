import { parseFeed } from "htmlparser2";
import { expect, it } from "vitest";
import { type FeedOptions, renderFeed } from "../../../../main/server/feed/rss.ts";

const feedUrl = "http://192.168.1.5:4343/feed/secret/podcast.xml";
const episode: FeedOptions["episodes"][number] = {
  itemId: "0123456789abcdef",
  title: "Rain",
  author: "A. Author",
  excerpt: "Rain fell all day.",
  durationSec: 3725.4,
  sizeBytes: 44_705_123,
  publishedAtMs: Date.UTC(2026, 10, 21, 8, 5, 9),
  audioUrl: "http://192.168.1.5:4343/feed/secret/0123456789abcdef.mp3",
};
const render = (episodes: FeedOptions["episodes"]): string =>
  renderFeed({ title: "Hearsay", description: "Narrations.", feedUrl, episodes });

it("has what players need of each episode", () => {
  const xml = render([
    { ...episode, coverUrl: "http://192.168.1.5:4343/feed/secret/0123456789abcdef.png" },
  ]);
  expect(parseFeed(xml)).toMatchObject({
    type: "rss",
    title: "Hearsay",
    link: feedUrl,
    description: "Narrations.",
    items: [
      {
        id: "hearsay:0123456789abcdef",
        title: "Rain",
        description: "Rain fell all day.",
        pubDate: new Date(episode.publishedAtMs),
      },
    ],
  });
  for (const line of [
    `<enclosure url="${episode.audioUrl}" length="44705123" type="audio/mpeg"/>`,
    "<itunes:author>A. Author</itunes:author>",
    "<itunes:duration>3725</itunes:duration>",
    '<guid isPermaLink="false">hearsay:0123456789abcdef</guid>',
    "<pubDate>Sat, 21 Nov 2026 08:05:09 GMT</pubDate>",
    '<itunes:image href="http://192.168.1.5:4343/feed/secret/0123456789abcdef.png"/>',
    "<itunes:block>Yes</itunes:block>",
  ])
    expect(xml.split("\n")).toContain(line);
});

it("omits what an episode does not have", () => {
  const xml = render([{ ...episode, author: "", excerpt: "" }]);
  expect(xml).not.toContain("itunes:image");
  expect(xml.match(/itunes:author/g)).toHaveLength(2);
  expect(parseFeed(render([]))).toMatchObject({ title: "Hearsay", items: [] });
});

it("escapes titles, and replaces characters that XML does not allow", () => {
  const title = `Tom & "Jerry" <b>'s</b> ]]> \u0000\u000b\ud800\uffff 🎧`;
  const xml = render([{ ...episode, title, audioUrl: `${episode.audioUrl}?a=1&b="2"` }]);
  expect(xml).toContain(
    "<title>Tom &amp; &quot;Jerry&quot; &lt;b&gt;&apos;s&lt;/b&gt; ]]&gt;   \ufffd  🎧</title>",
  );
  expect(xml).toContain("?a=1&amp;b=&quot;2&quot;");
  // What XML 1.0 allows.
  expect(xml).toMatch(/^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
});
