// Uploads, recordings, transcription jobs and audio of items.

import { z } from "zod";
import { parseDecimalField } from "../../contract/decimal.ts";
import { AppError } from "../../contract/errors.ts";
import { documentOptions, transcribeOptions } from "../../contract/transcript-document.ts";
import { withTracks } from "../../jobs/transcription/tracks.ts";
import type { TranscriptionJobs } from "../../jobs/transcription/transcription-jobs.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import { fileResponse } from "../http/file-response.ts";
import {
  type BodyReader,
  checkDiskSpace,
  createBodyReader,
  readBody,
} from "../http/request-body.ts";
import type { RouteContext } from "../route-context.ts";
import { jsonResponse } from "../http/sized-response.ts";
import { parseFields } from "../../contract/validation.ts";
import { parseOptions } from "./options-field.ts";
import type { RawRoute } from "./handlers.ts";
import type { AppApiRoutes } from "./handlers.ts";

export function transcriptionRoutes(transcriptionJobs: TranscriptionJobs): AppApiRoutes {
  const { queue, recordings, media } = transcriptionJobs;
  return {
    handlers: {
      transcribeItem: (options, id) => transcriptionJobs.start(id, options),
      readQueue: () => queue.state(),
      changeQueue: (change) => queue.change(change),
      retranscribeFailed: (_, id) => transcriptionJobs.retranscribeFailed(id),
      retranscribe: (options, id, signal) => transcriptionJobs.retranscribe(id, options, signal),
      findSpeakers: ({ count }, id, signal) => transcriptionJobs.findSpeakers(id, count, signal),
    },
    rawRoutes: [
      postRoute("/app/uploads", (request, _, context) =>
        consumeBody(request, context, async (body) => {
          const { name, options } = parseQuery(request, uploadQuery);
          await checkDiskSpace(body, context.deps.tempDir());
          return transcriptionJobs.add(
            { name, options: parseOptions(options, transcribeOptions), next: body.next },
            request.signal,
          );
        }),
      ),
      postRoute("/app/recordings", async (request) => {
        const { title, options, live } = parseQuery(request, recordingQuery);
        const { tracks, ...others } = parseOptions(options, documentOptions);
        const parsedOptions = withTracks(others, tracks);
        transcriptionJobs.check(parsedOptions);
        return retryWhileBusy(() => recordings.begin(title, parsedOptions, live === "true"), {
          signal: request.signal,
        });
      }),
      postRoute("/app/recordings/:id/sound", (request, { id = "" }, context) =>
        consumeBody(request, context, async (body) => {
          const { from } = parseQuery(request, audioQuery);
          return {
            samples: await recordings.append(
              id,
              from,
              await readBody(body, maxAudioBytes, () => new AppError("recording.partTooLong")),
            ),
          };
        }),
      ),
      postRoute("/app/recordings/:id/end", ({ signal }, { id = "" }) =>
        retryWhileBusy(() => recordings.end(id), { signal }),
      ),
      {
        method: "GET",
        path: "/app/items/:id/media",
        async respond(request, { id = "" }) {
          const { path, type } = await media.playable(id);
          return fileResponse(request, path, type);
        },
      },
      {
        method: "GET",
        path: "/app/items/:id/peaks",
        respond: async (request, { id = "" }) =>
          fileResponse(request, await media.peaks(id), "application/octet-stream"),
      },
    ],
  };
}

const postRoute = (
  path: string,
  respond: (
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RouteContext,
  ) => Promise<object>,
): RawRoute => ({
  method: "POST",
  path,
  respond: async (request, params, context) =>
    jsonResponse(await respond(request, params, context), { "cache-control": "no-store" }),
});

/** A rejected body is still read within limits, so that the window gets the error. */
async function consumeBody<Result>(
  request: Request,
  { limits }: RouteContext,
  consume: (body: BodyReader) => Promise<Result>,
): Promise<Result> {
  const body = createBodyReader(request, limits);
  try {
    return await consume(body);
  } catch (error) {
    await body.drain();
    throw error;
  }
}

const uploadQuery = z.object({
  name: z.string().min(1).max(1000),
  options: z.string().max(50_000).default("{}"),
});
const recordingQuery = z.object({
  title: z.string().trim().min(1).max(300).optional(),
  options: z.string().max(50_000).default("{}"),
  /** Transcribed while it is recorded, not only afterwards. */
  live: z.enum(["true", "false"]).default("true"),
});
const audioQuery = z.object({ from: z.preprocess(parseDecimalField, z.number().int().min(0)) });

const parseQuery = <Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> =>
  parseFields(schema, Object.fromEntries(new URL(request.url).searchParams));

/** One minute of samples: a delayed window sends everything it has. */
const maxAudioBytes = 60 * 16_000 * 2;
