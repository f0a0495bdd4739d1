// Extracts the message of an error body. Known shapes: OpenAI's `{error: {message, type, param, code}}`, `{error:
// "…"}`, `{message}`, and FastAPI's `{detail}` with a text, a list of faults or any of the others.

export type ErrorDetails = { message?: string; type?: string; param?: string; code?: string };

export function parseErrorBody(body: unknown): ErrorDetails {
  if (typeof body === "string") return body.trim() === "" ? {} : { message: body.trim() };
  if (Array.isArray(body))
    return toDetails({ message: body.map(formatFault).filter(Boolean).join("; ") });
  if (!isObject(body)) return {};
  // Kokoro-FastAPI's detail has the error type in `error`, next to `message`.
  if (typeof body["message"] === "string") return toDetails(body);
  return parseErrorBody(body["error"] ?? body["detail"]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** pydantic's `{loc: ['body', 'input'], msg}`. */
function formatFault(fault: unknown): string {
  if (!isObject(fault) || typeof fault["msg"] !== "string") return "";
  const location = Array.isArray(fault["loc"]) ? fault["loc"].slice(1).join(".") : "";
  return location === "" ? fault["msg"] : `${location}: ${fault["msg"]}`;
}

const maxNameLength = 100;
const toName = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, maxNameLength) : undefined;

function toDetails({ message, type, param, code }: Record<string, unknown>): ErrorDetails {
  const details = {
    message: typeof message === "string" && message.trim() !== "" ? message.trim() : undefined,
    type: toName(type),
    param: toName(param),
    code: toName(code),
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}
