// Converts system errors about files and ports to one sentence that names what the person entered.

import { commandError } from "./command.ts";
import { dirname } from "node:path";

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

/** An AppError if there is a sentence for the error, else the error itself. `path` as the person entered it. */
export function fileError(error: unknown, path: string, operation: "read" | "write"): unknown {
  const sentence = fileErrorMessage((error as SystemError).code, path, operation);
  return sentence === undefined ? error : commandError(sentence, error);
}

function fileErrorMessage(
  code: string | undefined,
  path: string,
  operation: "read" | "write",
): string | undefined {
  switch (code) {
    case "ENOENT":
      return operation === "read"
        ? `there is no file ${path}`
        : `there is no folder ${dirname(path)}`;
    case "EISDIR":
      return `${path} is a folder`;
    case "EEXIST":
      return `${path} exists already and is not a folder`;
    case "ENOTDIR":
      return `${path}: a parent folder in it is a file`;
    case "EACCES":
    case "EPERM":
      return `no permission to ${operation} ${path}`;
    case "EROFS":
      return `${path} is on a read-only disk`;
    case "ENOSPC":
    case "EDQUOT":
      return `no space left on the disk for ${path}`;
    case "ENAMETOOLONG":
      return `the name ${path} is too long`;
    default:
      return undefined;
  }
}

/** For opening a port. Returns other errors unchanged. */
export function listenError(error: unknown): unknown {
  const { code, address = "", port = 0, hostname = address } = error as SystemError;
  const reason = new Map([
    ["EADDRNOTAVAIL", "this machine has no such address"],
    ["EINVAL", "this machine has no such address"],
    ["ENOTFOUND", "there is no such host name"],
    ["EAI_AGAIN", "there is no such host name"],
    ["EACCES", `no permission to use port ${port}`],
    ["EADDRINUSE", `port ${port} and those before it are in use`],
  ]).get(code ?? "");
  return reason === undefined
    ? error
    : commandError(`cannot listen on ${hostname}: ${reason}`, error);
}
