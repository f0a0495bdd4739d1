// Parses unknown input by a schema. Errors are one readable sentence that names the field at fault.

import type { z } from "zod";

import { errorTable } from "./error-table.ts";
import type { ErrorKey } from "./error-table.ts";
import { AppError } from "./errors.ts";
import { faultOf } from "./field-fault.ts";

/** @throws AppError for the first invalid field */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, unknown>,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = String(issue?.path[0] ?? "");
  const value = input[field];
  const options = { param: field };
  if (value === undefined) throw new AppError("field.missing", { field }, options);
  const fault = faultOf(issue);
  const key = errorKeyOf(issue);
  throw isShowable(value)
    ? new AppError("field.faultyValue", { field, fault, value: String(value) }, { ...options, key })
    : new AppError("field.faulty", { field, fault }, { ...options, key });
}

/** A schema can name the error key if the kind of issue does not determine it. */
function errorKeyOf(issue: z.core.$ZodIssue | undefined): ErrorKey {
  const named: unknown = issue?.code === "custom" ? issue.params?.["key"] : undefined;
  if (typeof named === "string" && Object.hasOwn(errorTable, named)) return named as ErrorKey;
  return issue?.code === "invalid_value" ? "unsupported_value" : "invalid_value";
}

/** Whether the received value is short enough to be useful in a message. */
function isShowable(value: unknown): boolean {
  const isPrimitive =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPrimitive && `${value}`.trim() !== "" && `${value}`.length <= 40;
}
