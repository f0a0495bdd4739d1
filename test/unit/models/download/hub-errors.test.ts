import { expect, it } from "vitest";
import { PassingError, toConnectionError } from "../../../../main/models/download/hub-errors.ts";

const request = {
  host: "hub-proxy.example",
  file: "model.onnx",
  repository: "someone/voice",
  revision: "main",
  stallMs: 1000,
};

/** Id of the message; `tried` if the request is tried again. */
function reported(message: string, code?: string) {
  const error = toConnectionError(Object.assign(new Error(message), { code }), request);
  const { sent } = (error instanceof PassingError ? error.final : error) as unknown as {
    sent: { id: string };
  };
  return { id: sent.id, tried: error instanceof PassingError };
}

it.each([
  ["getaddrinfo ENOTFOUND hub-proxy.example", "ENOTFOUND", "download.noName", true],
  [
    "Hostname/IP does not match certificate's altnames: Host: hub-proxy.example.",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "download.untrusted",
    false,
  ],
  [
    "Connect Timeout Error (attempted address: hub-proxy.example:443, timeout: 10000ms)",
    "UND_ERR_CONNECT_TIMEOUT",
    "download.unreachable",
    true,
  ],
])("a mirror with a proxy in its name is no proxy: %s", (message, code, id, tried) => {
  expect(reported(message, code)).toEqual({ id, tried });
});

it.each([
  ["Proxy response (407) !== 200 when HTTP Tunneling", "UND_ERR_ABORTED"],
  ["the proxy 127.0.0.1:1 cannot be reached", undefined],
  ["the address of the proxy is invalid", undefined],
])("reports a fault of the proxy: %s", (message, code) => {
  expect(reported(message, code)).toEqual({ id: "download.proxy", tried: false });
});
