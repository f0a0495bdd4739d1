// A field of a query that holds options as JSON.

import type { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { parseJson } from "../../contract/json.ts";
import { parseFields } from "../../contract/validation.ts";

const invalidOptionsError = (): AppError =>
  new AppError("request.optionsNotObject", {}, { param: "options" });

/** @throws AppError if it is no object, or for the first invalid field */
export function parseOptions<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): z.output<Schema> {
  const value = parseJson(Buffer.from(text), invalidOptionsError);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidOptionsError();
  return parseFields(schema, value as Record<string, unknown>);
}
