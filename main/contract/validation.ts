// From unknown input to a schema's type, or to one readable sentence that names the field at fault.

import type { z } from "zod";

import { AppError, errorTable } from "./errors.ts";
import type { ErrorKey } from "./errors.ts";

/** @throws AppError for the first field that does not fit. */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, unknown>,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = String(issue?.path[0] ?? "");
  const given = input[param];
  if (given === undefined)
    throw new AppError("missing_field", `You must provide the field '${param}'.`, { param });
  throw new AppError(errorKey(issue), `'${param}' ${issue?.message}${shown(given)}.`, { param });
}

/** Schemas name the error where the kind of the issue does not tell. */
function errorKey(issue: z.core.$ZodIssue | undefined): ErrorKey {
  const named: unknown = issue?.code === "custom" ? issue.params?.["key"] : undefined;
  if (typeof named === "string" && Object.hasOwn(errorTable, named)) return named as ErrorKey;
  return issue?.code === "invalid_value" ? "unsupported_value" : "invalid_value";
}

/** What was given instead, where it is short enough to help. */
function shown(given: unknown): string {
  const simple =
    typeof given === "string" || typeof given === "number" || typeof given === "boolean";
  return simple && `${given}`.trim() !== "" && `${given}`.length <= 40
    ? `; '${given}' was given`
    : "";
}
