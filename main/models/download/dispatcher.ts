// Connections to model hubs: through the proxy that the environment names, if it names one.

import { type Dispatcher, EnvHttpProxyAgent } from "undici";

const connectTimeoutMs = 15_000;

export const createProxyDispatcher = (): Dispatcher =>
  new EnvHttpProxyAgent({ connect: { timeout: connectTimeoutMs } });
