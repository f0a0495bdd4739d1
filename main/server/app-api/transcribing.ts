// Files and recordings as they come into the studio, the work on them, and their sound as it goes out.

import { z } from "zod";
import { decimalField } from "../../contract/decimal.ts";
import { AppError } from "../../contract/errors.ts";
import { type TranscribeOptions, transcribeOptions } from "../../contract/studio.ts";
import type { Transcribing } from "../../jobs/transcription/transcribing.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import { fileResponse } from "../http/file-response.ts";
import { parseJson } from "../../contract/json.ts";
import { type BodyReader, checkRoom, createBodyReader, readWhole } from "../http/request-body.ts";
import type { RouteContext } from "../route-context.ts";
import { jsonResponse } from "../http/sized-response.ts";
import { parseFields } from "../../contract/validation.ts";
import type { RawRoute } from "./handlers.ts";
import type { StudioRoutes } from "./handlers.ts";

export function transcribingRoutes(transcribing: Transcribing): StudioRoutes {
  const { recordings, media } = transcribing;
  return {
    handlers: {
      transcribeItem: (options, id) => transcribing.start(id, options),
      hearFailed: (_, id) => transcribing.hearFailed(id),
      hearAgain: (options, id, signal) => transcribing.hearAgain(id, options, signal),
    },
    rawRoutes: [
      post("/app/uploads", (request, _, context) =>
        withBody(request, context, async (body) => {
          const { name, options } = query(request, uploadQuery);
          await checkRoom(body, context.deps.tempDir());
          return transcribing.add(
            { name, options: parseOptions(options), next: body.next },
            request.signal,
          );
        }),
      ),
      post("/app/recordings", async (request) => {
        const { title, options } = query(request, recordingQuery);
        const wanted = parseOptions(options);
        transcribing.check(wanted);
        return retryWhileBusy(() => recordings.begin(title, wanted), { signal: request.signal });
      }),
      post("/app/recordings/:id/sound", (request, { id = "" }, context) =>
        withBody(request, context, async (body) => {
          const { from } = query(request, soundQuery);
          return {
            samples: await recordings.append(
              id,
              from,
              await readWhole(body, maxSoundBytes, "Send at most a minute of sound at once."),
            ),
          };
        }),
      ),
      post("/app/recordings/:id/end", ({ signal }, { id = "" }) =>
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

const post = (
  path: string,
  answer: (
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RouteContext,
  ) => Promise<object>,
): RawRoute => ({
  method: "POST",
  path,
  respond: async (request, params, context) =>
    jsonResponse(await answer(request, params, context), { "cache-control": "no-store" }),
});

/** What is refused is read on within limits, so that the window sees why. */
async function withBody<Result>(
  request: Request,
  { limits }: RouteContext,
  take: (body: BodyReader) => Promise<Result>,
): Promise<Result> {
  const body = createBodyReader(request, limits);
  try {
    return await take(body);
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
});
const soundQuery = z.object({ from: z.preprocess(decimalField, z.number().int().min(0)) });

const query = <Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> =>
  parseFields(schema, Object.fromEntries(new URL(request.url).searchParams));

const noOptions = (): AppError =>
  new AppError("invalid_value", "'options' must be a JSON object.", { param: "options" });

function parseOptions(text: string): TranscribeOptions {
  const value = parseJson(Buffer.from(text), noOptions);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw noOptions();
  return parseFields(transcribeOptions, value as Record<string, unknown>);
}

/** A minute of samples: a window that was held up sends what it has. */
const maxSoundBytes = 60 * 16_000 * 2;
