// GET requests to a model hub and its mirrors. Every connection goes through the dispatcher that is passed in, which
// may refuse it. See hub-errors.ts for what failures become.

import { type Dispatcher, request } from "undici";
import { AppError } from "../../contract/errors.ts";
import { toConnectionError, toStatusError } from "./hub-errors.ts";

export type HubRequest = {
  url: URL;
  /** What it is for, in messages. */
  file: string;
  repository: string;
  revision: string;
  /** Sent once the host of `url` asks for it, and not to where that redirects. */
  token?: string | undefined;
  /** First byte that is wanted. */
  fromByte?: number;
};

export type HubResponse = {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  /** Leaving the loop ends the request. @throws AppError or PassingError */
  bytes(): AsyncGenerator<Uint8Array, void, undefined>;
  close(): void;
};

export type HubClient = {
  /**
   * Resolves to a success, a partial response or 416.
   * @throws AppError or PassingError for every other status and all failures of the connection; the signal's reason
   */
  get(hubRequest: HubRequest, signal: AbortSignal): Promise<HubResponse>;
};

export type HubClientOptions = {
  dispatcher: Dispatcher;
  /** Without bytes for this long, a request fails. */
  stallMs: number;
};

const maxRedirects = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const rangeNotSatisfiable = 416;
/** Of a repository that is private, or whose terms have to be accepted. */
const refusedStatuses: ReadonlySet<number> = new Set([401, 403]);

export function createHubClient({ dispatcher, stallMs }: HubClientOptions): HubClient {
  async function send(
    { fromByte = 0 }: HubRequest,
    url: URL,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const pending = request(url, {
      dispatcher,
      headersTimeout: stallMs,
      bodyTimeout: stallMs,
      signal,
      headers: {
        "user-agent": "hearsay",
        // Bytes are counted and hashed as they are stored.
        "accept-encoding": "identity",
        ...(fromByte === 0 ? {} : { range: `bytes=${fromByte}-` }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    // Before the connection exists, undici ignores the signal.
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    pending.catch(() => {});
    aborted.promise.catch(() => {});
    try {
      signal.throwIfAborted();
      return await Promise.race([pending, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  return {
    async get(hubRequest, signal) {
      let url = hubRequest.url;
      let token: string | undefined;
      for (let redirects = 0; ; redirects += 1) {
        const failure = { ...hubRequest, token, host: url.host, stallMs };
        const response = await send(hubRequest, url, token, signal).catch((error: unknown) =>
          Promise.reject(signal.aborted ? signal.reason : toConnectionError(error, failure)),
        );
        const { statusCode: status, headers, body } = response;
        // destroy() below makes the body emit an error.
        body.on("error", () => {});
        if (redirectStatuses.has(status)) {
          body.destroy();
          const target = URL.parse(String(headers["location"] ?? ""), url);
          if (redirects === maxRedirects || !/^https?:$/.test(target?.protocol ?? ""))
            throw new AppError("download.redirects", { host: url.host });
          if (target?.origin !== hubRequest.url.origin) token = undefined;
          url = target as URL;
          continue;
        }
        if (
          refusedStatuses.has(status) &&
          token === undefined &&
          hubRequest.token !== undefined &&
          url.origin === hubRequest.url.origin
        ) {
          body.destroy();
          token = hubRequest.token;
          continue;
        }
        if ((status < 200 || status > 299) && status !== rangeNotSatisfiable) {
          body.destroy();
          throw toStatusError(status, headers, failure);
        }
        if (isWebPage(headers)) {
          body.destroy();
          throw new AppError("download.portal", {
            file: hubRequest.file,
            host: hubRequest.url.host,
          });
        }
        return {
          status,
          headers,
          async *bytes() {
            try {
              yield* body as AsyncIterable<Uint8Array>;
            } catch (error) {
              throw signal.aborted ? signal.reason : toConnectionError(error, failure);
            } finally {
              body.destroy();
            }
          },
          close: () => void body.destroy(),
        };
      }
    },
  };
}

/** No model has web pages; networks that ask people to sign in answer every request with one. */
const isWebPage = (headers: HubResponse["headers"]): boolean =>
  /^(text\/html|application\/xhtml\+xml)\b/i.test(String(headers["content-type"] ?? ""));
