// The words of an error as servers of this interface send it, in the shapes they are known to use: OpenAI's
// `{error: {message, type, param, code}}`, `{error: "…"}`, `{message}`, FastAPI's `{detail}` with a text, a list of
// faults or any of the others inside. Pure.

export type ToldError = { message?: string; type?: string; param?: string; code?: string };

export function toldError(body: unknown): ToldError {
  if (typeof body === "string") return body.trim() === "" ? {} : { message: body.trim() };
  if (Array.isArray(body))
    return texts({ message: body.map(faultText).filter(Boolean).join("; ") });
  if (!isObject(body)) return {};
  // Kokoro-FastAPI's detail has the kind of error beside the message, under the name of the whole.
  if (typeof body["message"] === "string") return texts(body);
  return toldError(body["error"] ?? body["detail"]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** pydantic's `{loc: ['body', 'input'], msg}`. */
function faultText(fault: unknown): string {
  if (!isObject(fault) || typeof fault["msg"] !== "string") return "";
  const place = Array.isArray(fault["loc"]) ? fault["loc"].slice(1).join(".") : "";
  return place === "" ? fault["msg"] : `${place}: ${fault["msg"]}`;
}

const longestName = 100;
const name = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, longestName) : undefined;

function texts({ message, type, param, code }: Record<string, unknown>): ToldError {
  const told = {
    message: typeof message === "string" && message.trim() !== "" ? message.trim() : undefined,
    type: name(type),
    param: name(param),
    code: name(code),
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}
