// The podcast feed of finished narrations: its secret address, whether it is on, and its responses. The gateway passes
// requests here only while the API port is open to the local network.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import { feedFileName, feedPathPrefix, type PodcastFeed } from "../../contract/podcast-feed.ts";
import type { Episode, NarrationEpisodes } from "../../jobs/narration/narration-episodes.ts";
import type { NarrationJobs } from "../../jobs/narration/narration-jobs.ts";
import type { Configuration } from "../../storage/settings/configuration.ts";
import { toDigest } from "../../storage/settings/key-secret.ts";
import { fileResponse } from "../http/file-response.ts";
import { textResponse } from "../http/sized-response.ts";
import { renderFeed } from "./rss.ts";

export type FeedServing = {
  view(): Promise<PodcastFeed>;
  /** Its first switching on gives it an address. */
  setOn(isOn: boolean): Promise<void>;
  /** A new address. The former one ends at once, also for files that are being sent. */
  renew(): void;
  /** @returns undefined if there is nothing at this address */
  respond(request: Request): Promise<Response | undefined>;
};

export type FeedServingDeps = {
  configuration: Pick<Configuration, "podcastFeed" | "setPodcastFeed">;
  episodes: NarrationEpisodes;
  readDetails: NarrationJobs["readDetails"];
  /** It was switched or got a new address. */
  onChange(): void;
  /** A request with the right address was answered. */
  onAnswered(request: { atMs: number; status: number; durationMs: number }): void;
};

/** 192 bits: too many to guess, and short enough for a QR code that is easy to scan. */
const secretBytes = 24;
/** Players give up after 30 s or later. Files that are not ready then appear when they ask again. */
const maxWaitMs = 10_000;

const feedTitle = "Hearsay";
const feedDescription = "Narrations made with Hearsay.";
const coverExtensions = { "image/jpeg": "jpg", "image/png": "png" } as const;

export function createFeedServing({
  configuration,
  episodes,
  readDetails,
  onChange,
  onAnswered,
}: FeedServingDeps): FeedServing {
  /** Ends the responses under the present address. */
  let sending = new AbortController();

  function save(isOn: boolean, secret: string): void {
    configuration.setPodcastFeed({ isOn, secret });
    sending.abort();
    sending = new AbortController();
    onChange();
  }

  /** Takes constant time, whatever part of the secret is right. */
  function isRightSecret(presented: string): boolean {
    const { isOn, secret } = configuration.podcastFeed() ?? { isOn: false, secret: "" };
    return timingSafeEqual(toDigest(presented), toDigest(secret)) && isOn && secret !== "";
  }

  async function respondWithFeed(request: Request): Promise<Response> {
    const feedUrl = toFeedUrl(request.url);
    const listed = await episodes.list(maxWaitMs);
    return textResponse(
      renderFeed({
        title: feedTitle,
        description: feedDescription,
        feedUrl,
        episodes: listed.map((episode) => ({ ...episode, ...episodeUrls(episode, feedUrl) })),
      }),
      "application/rss+xml; charset=utf-8",
      { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" },
    );
  }

  async function respondWithFile(
    request: Request,
    fileName: string,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    if (fileName === feedFileName) return respondWithFeed(request);
    const [, itemId = "", extension] = /^([0-9a-f]{16})\.(mp3|jpg|png)$/.exec(fileName) ?? [];
    if (extension === undefined) return undefined;
    if (extension === "mp3")
      return fileResponse(request, await episodes.audioPath(itemId), "audio/mpeg", signal);
    const { coverPath, coverType } = await readDetails(itemId);
    if (coverPath === undefined || coverType === undefined) return undefined;
    return coverExtensions[coverType] === extension
      ? fileResponse(request, coverPath, coverType, signal)
      : undefined;
  }

  async function respond(request: Request): Promise<Response | undefined> {
    const [, secret = "", fileName = ""] =
      /^\/feed\/([^/]*)\/([^/]*)$/.exec(new URL(request.url).pathname) ?? [];
    const { signal } = sending;
    if (!isRightSecret(secret) || (request.method !== "GET" && request.method !== "HEAD"))
      return undefined;
    const arrivedAtMs = Date.now();
    const response = await respondWithFile(request, fileName, signal).catch((error: unknown) =>
      signal.aborted ? undefined : refuseUnfinished(error),
    );
    // The address was revoked while a file was being made.
    if (signal.aborted) {
      await response?.body?.cancel();
      return undefined;
    }
    const durationMs = Date.now() - arrivedAtMs;
    onAnswered({ atMs: arrivedAtMs, status: response?.status ?? 404, durationMs });
    return request.method === "HEAD" ? withoutBody(response) : response;
  }

  return {
    async view() {
      const { isOn, secret } = configuration.podcastFeed() ?? { isOn: false, secret: "" };
      return {
        isOn,
        ...(secret === "" ? {} : { path: `${feedPathPrefix}${secret}/${feedFileName}` }),
        episodes: isOn ? await episodes.count() : { ready: 0, total: 0 },
      };
    },
    async setOn(isOn) {
      save(isOn, configuration.podcastFeed()?.secret ?? newSecret());
      // If it fails, the first request of a player tries again.
      if (isOn) void episodes.list(0).catch(() => {});
      else await episodes.clear();
    },
    renew: () => save(configuration.podcastFeed()?.isOn ?? false, newSecret()),
    respond,
  };
}

const newSecret = (): string => randomBytes(secretBytes).toString("base64url");

/** With the host that the player used, which reaches this machine. */
function toFeedUrl(requestUrl: string): string {
  const { origin, pathname } = new URL(requestUrl);
  return `${origin}${pathname}`;
}

function episodeUrls(
  { itemId, coverType }: Episode,
  feedUrl: string,
): { audioUrl: string; coverUrl?: string } {
  const urlOf = (fileName: string): string => new URL(fileName, feedUrl).href;
  return {
    audioUrl: urlOf(`${itemId}.mp3`),
    ...(coverType === undefined
      ? {}
      : { coverUrl: urlOf(`${itemId}.${coverExtensions[coverType]}`) }),
  };
}

/** For a narration that was removed or is not finished (any more). */
function refuseUnfinished(error: unknown): undefined {
  if (!(error instanceof AppError) || error.row.status >= 500) throw error;
}

async function withoutBody(response: Response | undefined): Promise<Response | undefined> {
  if (response === undefined) return undefined;
  const { status, headers } = response;
  await response.body?.cancel();
  return new Response(null, { status, headers });
}
