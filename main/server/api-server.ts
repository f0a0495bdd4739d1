// The API port, which people open and close in the window, for this machine only or for its network. Each opening
// creates a new guard, since that depends on the address.

import { BlockList, isIP, isIPv6 } from "node:net";
import { AppError } from "../contract/errors.ts";
import type { Log } from "../log.ts";
import { minKeyLength } from "../storage/settings/settings.ts";
import type { Gateway } from "./gateway.ts";
import { listen, type Listener } from "./http/listen.ts";
import { ownAddresses } from "./http/network-addresses.ts";
import { createTurns } from "../processes/run-in-turns.ts";

export type ServerAddress = {
  /** The address it is bound to. */
  readonly host: string;
  readonly port: number;
};

export interface ApiServer {
  /** undefined while it is closed. */
  address(): ServerAddress | undefined;
  /** @throws AppError if it may not be opened there */
  check(host: string): void;
  /**
   * Opens it, or moves it if it is open at another host. After an error it is closed.
   * @throws AppError as `check`; the system's error if it cannot be opened
   */
  open(host: string): Promise<ServerAddress>;
  /** The current port, or the one it will use when it opens; 0 if it never had one and any will do. */
  port(): number;
  /**
   * Changes the port. Requests in flight at the old one are completed there. After an error nothing has changed.
   * @throws the system's error
   */
  move(port: number): Promise<void>;
  /** Whether a request to that address would reach this server. */
  isOwnAddress(url: URL): boolean;
  /** Closes idle connections at once, active ones when they are done or after about one second. */
  close(): Promise<void>;
}

export type ApiServerOptions = {
  /** The gateway that serves requests to that address. */
  gatewayFor(host: string): Gateway;
  /** The owner's key is too short for network access. */
  isKeyShort?: boolean;
  /** First choice at the start; later openings use the last port. */
  port: number;
  /** Used if the system refuses `port`. */
  fallbackPort?: number | undefined;
  log: Log;
};

export function createApiServer({
  gatewayFor,
  isKeyShort = false,
  port,
  fallbackPort,
  log,
}: ApiServerOptions): ApiServer {
  let open: (ServerAddress & { listener: Listener }) | undefined;
  let preferredPort = port;
  /** Listeners of former ports that still have responses to send. */
  const retiredListeners = new Set<Listener>();
  /** Serializes changes. */
  const inTurn = createTurns();

  function check(host: string): void {
    if (isKeyShort && isForNetwork(host))
      throw new AppError("app.keyTooShort", { length: minKeyLength });
  }

  async function closeListener(): Promise<void> {
    const previous = open;
    open = undefined;
    await previous?.listener.close();
  }

  async function listenAt(
    host: string,
    listenPort: number,
    isPortFixed: boolean,
  ): Promise<ServerAddress & { listener: Listener }> {
    const gateway = gatewayFor(host);
    const listener = await listen({
      handle: (request, { remoteAddress }) => gateway.handle(request, { remoteAddress }),
      upgrade: (request, { remoteAddress }) => gateway.upgrade(request, { remoteAddress }),
      host,
      port: listenPort,
      isPortFixed,
      log,
    });
    return { host, port: listener.port, listener };
  }

  return {
    address: () => open,
    port: () => open?.port ?? preferredPort,
    isOwnAddress: (url) =>
      open !== undefined &&
      Number(url.port || (url.protocol === "https:" ? 443 : 80)) === open.port &&
      isOwnHost(url.hostname, open.host),
    check,
    open: (host) =>
      inTurn(async () => {
        check(host);
        if (open?.host === host) return open;
        await closeListener();
        open = await listenAt(host, preferredPort, false).catch((error: unknown) => {
          if (fallbackPort === undefined) throw error;
          log.warn({ err: error }, `port ${preferredPort} is not available`);
          return listenAt(host, fallbackPort, false);
        });
        preferredPort = open.port;
        return open;
      }),
    move: (newPort) =>
      inTurn(async () => {
        const previous = open;
        if (previous === undefined)
          await (await listenAt("127.0.0.1", newPort, true)).listener.close();
        else if (previous.port !== newPort) {
          open = await listenAt(previous.host, newPort, true);
          retiredListeners.add(previous.listener);
          previous.listener
            .closeGracefully()
            .catch((error: unknown) => log.warn({ err: error }, "a port could not be closed"))
            .finally(() => retiredListeners.delete(previous.listener))
            .catch(() => {});
        }
        preferredPort = newPort;
      }),
    close: () =>
      inTurn(
        async () =>
          void (await Promise.all([
            closeListener(),
            ...Array.from(retiredListeners, (listener) => listener.close()),
          ])),
      ),
  };
}

/** Whether it is bound to more than this machine. */
export const isForNetwork = (host: string): boolean =>
  !/^(127(\.\d{1,3}){3}|localhost|::1)$/.test(host);

/** Whether a request to this host name would reach an address of this machine that `host` is bound to. */
function isOwnHost(hostname: string, host: string): boolean {
  const bareHostname = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (isIP(bareHostname) === 0)
    return (
      bareHostname === host || bareHostname === "localhost" || bareHostname.endsWith(".localhost")
    );
  // BlockList also matches IPv4 addresses written as IPv6.
  const ownAddressList = new BlockList();
  ownAddressList.addSubnet("127.0.0.0", 8, "ipv4");
  // Connecting to the unspecified address reaches this machine.
  for (const address of ["0.0.0.0", "::", "::1", ...ownAddresses()])
    ownAddressList.addAddress(address, ipFamily(address));
  return ownAddressList.check(bareHostname, ipFamily(bareHostname));
}

const ipFamily = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");
