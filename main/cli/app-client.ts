// The commands' way to the app: requests to /app, sent to the app that runs on the data folder, or handled by an app in
// this process if none runs.

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { api, type ApiName, type ApiRequest, type ApiResponse } from "../contract/api.ts";
import {
  commandLineStreams,
  type StreamEvent,
  type StreamName,
  type StreamRequest,
} from "../contract/command-line-streams.ts";
import { isOwner, sendToOwner } from "../instance/claim-or-hand-over.ts";
import type { Rendezvous } from "../instance/messages.ts";

export type AppClient = {
  /** A route of contract/api.ts; `id` is the `:id` of its path. @throws AnswerError */
  call<Name extends ApiName>(
    name: Name,
    fields?: ApiRequestInput<Name>,
    id?: string,
  ): Promise<ApiResponse<Name>>;
  /** Events of a stream of contract/command-line-streams.ts. @throws AnswerError */
  stream<Name extends StreamName>(
    name: Name,
    fields: StreamRequest<Name>,
  ): AsyncGenerator<StreamEvent<Name>>;
  /** The body of a GET request. @throws AnswerError */
  download(path: string): AsyncGenerator<Uint8Array>;
};

/** Fields with a default may be left out. */
type ApiRequestInput<Name extends ApiName> = {
  [Field in keyof ApiRequest<Name>]?: ApiRequest<Name>[Field] | undefined;
};

/** The app refused a request, or could not be asked: a message for the person. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  /** Of the app's error. */
  readonly code: string | undefined;

  constructor(message: string, { code, ...options }: ErrorOptions & { code?: string } = {}) {
    super(message, options);
    this.code = code;
  }
}

export type AppRequest = { method: string; path: string; body?: string };
/** The body may be read only once, and rejects if the connection breaks. */
export type AppResponse = { status: number; body: AsyncIterable<Uint8Array> };
export type Transport = (request: AppRequest) => Promise<AppResponse>;

export function createAppClient(send: Transport): AppClient {
  /** @throws AnswerError if the status is no success */
  async function request(appRequest: AppRequest): Promise<AsyncIterable<Uint8Array>> {
    const { status, body } = await send(appRequest);
    if (status < 300) return body;
    const text = await readText(body);
    throw toAnswerError(parseJson(text)) ?? new AnswerError(unexpectedAnswer(status));
  }

  return {
    async call(name, fields = {}, id = "") {
      const { method, path: pattern, response: schema } = api[name];
      const path = pattern.replace(":id", encodeURIComponent(id));
      const body = await request(
        method === "GET" || method === "DELETE"
          ? { method, path: path + toQuery(fields) }
          : { method, path, body: JSON.stringify(fields) },
      );
      const { data } = schema.safeParse(parseJson(await readText(body)));
      if (data === undefined) throw new AnswerError(otherVersion);
      return data as ApiResponse<typeof name>;
    },
    async *stream(name, fields) {
      const { path, event: schema } = commandLineStreams[name];
      const body = await request({ method: "POST", path, body: JSON.stringify(fields) });
      for await (const value of serverSentEvents(body)) {
        const error = toAnswerError(value);
        if (error !== undefined) throw error;
        const { data } = schema.safeParse(value);
        if (data === undefined) throw new AnswerError(otherVersion);
        yield data as StreamEvent<typeof name>;
      }
    },
    async *download(path) {
      yield* await request({ method: "GET", path });
    },
  };
}

/** To an app in this process. */
export const toApp =
  (handle: (request: Request) => Promise<Response>, signal: AbortSignal): Transport =>
  async ({ path, ...init }) =>
    toAppResponse(await handle(new Request(`http://127.0.0.1${path}`, { ...init, signal })));

/** To the app that runs on the data folder. */
export const toRunningApp =
  (owner: Rendezvous, signal: AbortSignal): Transport =>
  async (request) => {
    // Before each request: the app may have ended, and another program may have got its port. Twice, since a busy
    // machine may miss the time limit once.
    if (!(await isOwner(owner, signal)) && !(await isOwner(owner, signal))) {
      signal.throwIfAborted();
      throw new AnswerError(endedMessage);
    }
    const response = await sendToOwner(owner, request, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new AnswerError(endedMessage, { cause: error });
    });
    return { status: response.statusCode ?? 0, body: untilEnded(response, signal) };
  };

/** To an address that the person named, with the owner's key. */
export const toAddress =
  (baseUrl: string, key: string, signal: AbortSignal): Transport =>
  async ({ path, ...init }) =>
    toAppResponse(
      await fetch(new URL(path, baseUrl), {
        ...init,
        headers: { authorization: `Bearer ${key}` },
        signal,
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new AnswerError(
          `no Hearsay is running at ${baseUrl}; use --port if it listens on another port`,
          { cause: error },
        );
      }),
    );

const endedMessage =
  "the Hearsay that is running on this data folder ended before it answered: try again";
const otherVersion =
  "the Hearsay that is running on this data folder is of another version: restart it";
const unexpectedAnswer = (status: number): string =>
  status === 404 ? otherVersion : `the Hearsay that is running answered with status ${status}`;

const toAppResponse = ({ status, body }: Response): AppResponse => ({
  status,
  body: body === null ? Readable.from([]) : (body as AsyncIterable<Uint8Array>),
});

/** @throws AnswerError if the connection breaks */
async function* untilEnded(
  response: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    signal.throwIfAborted();
    throw new AnswerError(endedMessage, { cause: error });
  }
}

/** The data of each event; comments only keep the connection open. */
async function* serverSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events)
      if (event.startsWith("data: ")) yield JSON.parse(event.slice("data: ".length));
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined if the value is no error response. */
function toAnswerError(value: unknown): AnswerError | undefined {
  const { message, code } =
    (value as { error?: { message?: unknown; code?: unknown } } | null | undefined)?.error ?? {};
  if (typeof message !== "string") return undefined;
  return new AnswerError(message, typeof code === "string" ? { code } : {});
}

function toQuery(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return query.size === 0 ? "" : `?${query}`;
}
