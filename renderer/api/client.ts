// Typed client of /app: one call for each name in the contract. Validates responses against the contract, so that the
// rest of the window can trust them. See binary.ts for bodies that are not JSON.

import { z } from "zod";
import { api, type Api, type ApiName, type ApiResponse } from "../../main/contract/api.ts";
import type { SentMessage } from "../../main/contract/messages/messages.ts";
import { messageReference } from "../../main/contract/messages/sent-message.ts";
import { t } from "../messages/messages.ts";
import { withBasePath } from "./base.ts";
import { ApiError, isAbort } from "./error.ts";

export type RequestFields<Name extends ApiName> = z.input<Api[Name]["request"]>;
export type CallResult<Name extends ApiName> = ApiResponse<Name>;

/** The reason from the response's body; a general sentence if the body is not an error of ours. */
export function toApiError(status: number, body: string): ApiError {
  try {
    const { error } = JSON.parse(body) as {
      error?: {
        message?: unknown;
        code?: unknown;
        param?: unknown;
        id?: unknown;
        params?: unknown;
      };
    };
    if (typeof error?.message === "string") {
      return new ApiError(
        status,
        typeof error.code === "string" ? error.code : "",
        toSentMessage(error.message, error),
        typeof error.param === "string" ? error.param : undefined,
      );
    }
  } catch {
    // Not JSON: the status decides the message.
  }
  return new ApiError(status, "unreadable", () =>
    status === 401 ? t("frame.error.session") : t("frame.error.status", { status }),
  );
}

function toSentMessage(message: string, reference: Record<string, unknown>): SentMessage {
  const { data } = z.object(messageReference).safeParse(reference);
  return { message, ...data };
}

/** A request to the app. @throws ApiError if there is no response, or no success */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(withBasePath(path), init);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, "offline", () => t("frame.error.offline"));
  }
  if (!response.ok) throw await toApiError(response.status, await response.text());
  return response;
}

/** Query string of a GET or DELETE; undefined fields are left out. */
export function toQueryString(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined)
      query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return query.size === 0 ? "" : `?${query}`;
}

/** Calls an endpoint of the contract. `id` replaces `:id`. @throws ApiError, or AbortError if `signal` aborts */
export async function call<Name extends ApiName>(
  name: Name,
  fields: RequestFields<Name>,
  id = "",
  signal?: AbortSignal,
): Promise<CallResult<Name>> {
  const { method, path, response: schema } = api[name];
  const address = path.replace(":id", encodeURIComponent(id));
  const inQuery = method === "GET" || method === "DELETE";
  const response = await request(inQuery ? address + toQueryString(fields) : address, {
    method,
    ...(inQuery
      ? {}
      : { body: JSON.stringify(fields), headers: { "content-type": "application/json" } }),
    ...(signal && { signal }),
  });
  const parsed = schema.safeParse(await response.json());
  if (!parsed.success)
    throw new ApiError(response.status, "unreadable", () =>
      t("frame.error.unreadable", {
        where: `${method} ${path}`,
        field: parsed.error.issues[0]?.path.join(".") ?? "",
      }),
    );
  return parsed.data as CallResult<Name>;
}
