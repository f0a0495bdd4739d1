// AppErrors with any key and text, as a provider's message has them.

import { AppError } from "../../main/contract/errors.ts";
import type { AppErrorOptions } from "../../main/contract/errors.ts";
import type { ErrorKey } from "../../main/contract/error-table.ts";

export const appError = (key: ErrorKey, text: string, options: AppErrorOptions = {}): AppError =>
  new AppError("verbatim", { text }, { key, ...options });
