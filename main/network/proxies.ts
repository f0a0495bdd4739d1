// Connections to other machines go through the proxy that the environment names, or else the system's. This machine is
// always reached directly: a proxy would take the request to another one, even while Offline is on.

import {
  Agent,
  type buildConnector,
  type Dispatcher,
  EnvHttpProxyAgent,
  Pool,
  ProxyAgent,
} from "undici";
import { isLoopback } from "./loopback.ts";

export type ProxyDispatcher = {
  dispatcher: Dispatcher;
  destroy(): Promise<void>;
};

const connectTimeoutMs = 15_000;

/** @param findSystemProxy the address of the proxy for a URL; undefined if there is none */
export function createProxyDispatcher(
  findSystemProxy?: (url: string) => Promise<string | undefined>,
): ProxyDispatcher {
  const connect = { timeout: connectTimeoutMs };
  const options = { connect, clientFactory: openProxyConnections };
  const direct = new Agent({ connect });
  const environment = readEnvironmentProxies();
  /** By the addresses of the proxies. */
  const agents = new Map<string, Dispatcher>();

  function agent(key: string, open: () => Dispatcher): Dispatcher {
    try {
      const found = agents.get(key) ?? open();
      agents.set(key, found);
      return found;
    } catch (error) {
      throw new Error("the address of the proxy is invalid", { cause: error });
    }
  }

  async function agentFor(url: URL): Promise<Dispatcher> {
    if (environment !== undefined)
      return agent("environment", () => new EnvHttpProxyAgent({ ...options, ...environment }));
    const uri = await findSystemProxy?.(url.href);
    return uri === undefined ? direct : agent(uri, () => new ProxyAgent({ ...options, uri }));
  }

  const dispatcher = direct.compose((dispatch) => (request, handler) => {
    const url = new URL(String(request.origin));
    if (isLoopback(url)) return dispatch(request, handler);
    agentFor(url)
      .then((found) => found.dispatch(request, handler))
      .catch((error: Error) => handler.onResponseError?.(unconnected, error));
    return true;
  });
  return {
    dispatcher,
    async destroy() {
      await Promise.all([direct, ...agents.values()].map((each) => each.destroy()));
    },
  };
}

/** The request was not sent yet. */
const unconnected = null as unknown as Dispatcher.DispatchController;

/** NO_PROXY is read by undici. */
function readEnvironmentProxies(): { httpProxy: string; httpsProxy: string } | undefined {
  const [httpProxy, httpsProxy] = [readProxy("http_proxy"), readProxy("https_proxy")];
  return httpProxy === "" && httpsProxy === "" ? undefined : { httpProxy, httpsProxy };
}

/** An address without a scheme is taken as curl does. */
function readProxy(variable: string): string {
  const value = (process.env[variable] ?? process.env[variable.toUpperCase()] ?? "").trim();
  return value === "" || value.includes("://") ? value : `http://${value}`;
}

/** So that a proxy that cannot be reached is not taken for the host behind it. */
function openProxyConnections(
  proxy: URL,
  { connect }: { connect?: buildConnector.connector },
): Pool {
  return new Pool(proxy, {
    connect: (options, done) =>
      connect?.(options, (error, socket) => {
        if (error === null) done(null, socket);
        else done(new Error(`the proxy ${proxy.host} cannot be reached`, { cause: error }), null);
      }),
  });
}
