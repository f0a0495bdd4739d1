// Parses unknown input by a schema. Errors are one readable sentence that names the field at fault.

import type { z } from "zod";

import { AppError, errorTable } from "./errors.ts";
import type { ErrorKey } from "./errors.ts";

/** @throws AppError for the first invalid field */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, unknown>,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = String(issue?.path[0] ?? "");
  const value = input[param];
  if (value === undefined)
    throw new AppError("missing_field", `You must provide the field '${param}'.`, { param });
  throw new AppError(errorKeyOf(issue), `'${param}' ${issue?.message}${describeValue(value)}.`, {
    param,
  });
}

/** A schema can name the error key if the kind of issue does not determine it. */
function errorKeyOf(issue: z.core.$ZodIssue | undefined): ErrorKey {
  const named: unknown = issue?.code === "custom" ? issue.params?.["key"] : undefined;
  if (typeof named === "string" && Object.hasOwn(errorTable, named)) return named as ErrorKey;
  return issue?.code === "invalid_value" ? "unsupported_value" : "invalid_value";
}

/** The received value, if it is short enough to be useful in a message. */
function describeValue(value: unknown): string {
  const isPrimitive =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPrimitive && `${value}`.trim() !== "" && `${value}`.length <= 40
    ? `; '${value}' was given`
    : "";
}
