// The app's own interface under /app, for its window, its owner and the command line: name → method, path, request,
// response. The only source of routes, validation and the window's types. `:id` in a path is one path segment.

import { fieldFault } from "./field-fault.ts";
import { z } from "zod";
import {
  channelFields,
  channelPatch,
  channelTest,
  channelView,
  priceTable,
  providerKey,
  routing,
} from "./channels.ts";
import { commandLineApi } from "./command-line-api.ts";
import { modelDownloadApi } from "./model-downloads.ts";
import { peopleApi } from "./people.ts";
import { windowApi } from "./window-api.ts";
import { apiKeyView, newApiKey, usageGroups, usageTotals } from "./usage.ts";

const emptyObject = z.object({});
const removed = z.object({ removed: z.boolean() });
const dateSchema = z.iso.date({ error: fieldFault("fault.noDate", { example: "2026-11-21" }) });

const presetSchema = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  prefix: z.string(),
  needsKey: z.boolean(),
  note: z.string(),
  paid: z.boolean().optional(),
  modelFilter: z.array(z.string()).optional(),
  modelNames: z.record(z.string(), z.string()).optional(),
  voiceNames: z.record(z.string(), z.string()).optional(),
});

export const api = {
  listChannels: {
    method: "GET",
    path: "/app/channels",
    request: emptyObject,
    response: z.object({ channels: z.array(channelView), presets: z.array(presetSchema) }),
  },
  addChannel: {
    method: "POST",
    path: "/app/channels",
    /** The prefix defaults to the channel's id. */
    request: channelFields.partial({ prefix: true }).extend({ key: providerKey.optional() }),
    response: channelView,
  },
  changeChannel: {
    method: "PATCH",
    path: "/app/channels/:id",
    /** Without a key, the stored one stays; null removes it. */
    request: channelPatch.extend({ key: providerKey.nullish() }),
    response: channelView,
  },
  removeChannel: {
    method: "DELETE",
    path: "/app/channels/:id",
    request: emptyObject,
    response: removed,
  },
  testChannel: {
    method: "POST",
    path: "/app/channels/:id/test",
    request: emptyObject,
    response: channelTest,
  },
  readRouting: { method: "GET", path: "/app/routing", request: emptyObject, response: routing },
  changeRouting: { method: "PUT", path: "/app/routing", request: routing, response: routing },
  readPrices: {
    method: "GET",
    path: "/app/prices",
    request: emptyObject,
    response: z.object({ prices: priceTable }),
  },
  changePrices: {
    method: "PUT",
    path: "/app/prices",
    request: z.object({ prices: priceTable }),
    response: z.object({ prices: priceTable }),
  },
  listKeys: {
    method: "GET",
    path: "/app/keys",
    request: emptyObject,
    response: z.object({ keys: z.array(apiKeyView) }),
  },
  createKey: {
    method: "POST",
    path: "/app/keys",
    request: newApiKey,
    response: apiKeyView.extend({ secret: z.string() }),
  },
  revokeKey: { method: "DELETE", path: "/app/keys/:id", request: emptyObject, response: removed },
  readUsage: {
    method: "GET",
    path: "/app/usage",
    /** `from` and `to` are days in local time, both inclusive. */
    request: z.object({
      by: z
        .enum(usageGroups, {
          error: fieldFault("fault.notListed", { values: usageGroups.join(", ") }),
        })
        .default("day"),
      from: dateSchema.optional(),
      to: dateSchema.optional(),
      key: z.string().optional(),
    }),
    response: z.object({ by: z.enum(usageGroups), sums: z.array(usageTotals), total: usageTotals }),
  },
  ...windowApi,
  ...peopleApi,
  ...modelDownloadApi,
  ...commandLineApi,
} as const;

export type Api = typeof api;
export type ApiName = keyof Api;
export type ApiRequest<Name extends ApiName> = z.output<Api[Name]["request"]>;
export type ApiResponse<Name extends ApiName> = z.output<Api[Name]["response"]>;
