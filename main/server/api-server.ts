// The API port, which people open and close in the window: for this machine alone, or for its network. Each opening
// has a guard of its own, as that depends on the address.

import { BlockList, isIP, isIPv6 } from "node:net";
import { AppError } from "../contract/errors.ts";
import type { Log } from "../log.ts";
import { minKeyLength } from "../storage/settings/settings.ts";
import type { Gateway } from "./gateway.ts";
import { listen, type Listener } from "./http/listen.ts";
import { ownAddresses } from "./http/network-addresses.ts";

export type Listening = {
  /** The address it is bound to. */
  readonly host: string;
  readonly port: number;
};

export interface ApiServer {
  /** Undefined while it is closed. */
  listening(): Listening | undefined;
  /** @throws AppError where it may not be opened there. */
  check(host: string): void;
  /** Opens it, elsewhere if it was open. @throws AppError as `check`, the system's error where it cannot; then it is closed */
  open(host: string): Promise<Listening>;
  /** That it has, or will ask for when it opens; 0 where it never had one and any will do. */
  port(): number;
  /** From now on it has this one; what is under way at the other is answered there. @throws the system's error where it cannot; then all stays as it was */
  move(port: number): Promise<void>;
  /** Would a request to that address come back here? */
  isOwnAddress(url: URL): boolean;
  /** Idle connections end at once, active ones when they are done or after about a second. */
  close(): Promise<void>;
}

export type ApiServerOptions = {
  /** The gateway that answers on that address. */
  gatewayFor(host: string): Gateway;
  /** The owner's key is too short for a network. */
  isKeyShort?: boolean;
  /** First choice; after that the one it had. */
  port: number;
  /** Where the system does not let it have that one. */
  otherPort?: number | undefined;
  log: Log;
};

export function createApiServer({
  gatewayFor,
  isKeyShort = false,
  port,
  otherPort,
  log,
}: ApiServerOptions): ApiServer {
  let open: (Listening & { listener: Listener }) | undefined;
  let wanted = port;
  /** Listeners of other ports that have answers to end. */
  const retired = new Set<Listener>();
  /** One change after the other. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };

  function check(host: string): void {
    if (isKeyShort && isForNetwork(host))
      throw new AppError(
        "conflict",
        `The API key is too short to serve other machines: it can be guessed. Use one of at least ${minKeyLength} characters.`,
      );
  }

  async function shut(): Promise<void> {
    const was = open;
    open = undefined;
    await was?.listener.close();
  }

  async function listenAt(
    host: string,
    at: number,
    isPortFixed: boolean,
  ): Promise<Listening & { listener: Listener }> {
    const gateway = gatewayFor(host);
    const listener = await listen({
      handle: (request, { remoteAddress }) => gateway.handle(request, { remoteAddress }),
      host,
      port: at,
      isPortFixed,
      log,
    });
    return { host, port: listener.port, listener };
  }

  return {
    listening: () => open,
    port: () => open?.port ?? wanted,
    isOwnAddress: (url) =>
      open !== undefined &&
      Number(url.port || (url.protocol === "https:" ? 443 : 80)) === open.port &&
      isThisMachine(url.hostname, open.host),
    check,
    open: (host) =>
      inTurn(async () => {
        check(host);
        if (open?.host === host) return open;
        await shut();
        open = await listenAt(host, wanted, false).catch((error: unknown) => {
          if (otherPort === undefined) throw error;
          log.warn({ err: error }, `port ${wanted} cannot be had`);
          return listenAt(host, otherPort, false);
        });
        wanted = open.port;
        return open;
      }),
    move: (to) =>
      inTurn(async () => {
        const was = open;
        if (was === undefined) await (await listenAt("127.0.0.1", to, true)).listener.close();
        else if (was.port !== to) {
          open = await listenAt(was.host, to, true);
          retired.add(was.listener);
          was.listener
            .retire()
            .catch((error: unknown) => log.warn({ err: error }, "a port could not be closed"))
            .finally(() => retired.delete(was.listener))
            .catch(() => {});
        }
        wanted = to;
      }),
    close: () =>
      inTurn(
        async () =>
          void (await Promise.all([
            shut(),
            ...Array.from(retired, (listener) => listener.close()),
          ])),
      ),
  };
}

/** As clients on this machine write it. */
export function baseUrlOf({ host, port }: Listening): string {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}/v1`;
}

/** Is it bound to more than this machine? */
export const isForNetwork = (host: string): boolean =>
  !/^(127(\.\d{1,3}){3}|localhost|::1)$/.test(host);

/** Would a request to this host name reach an address of this machine that `host` is bound to? */
function isThisMachine(hostname: string, host: string): boolean {
  const bare = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (isIP(bare) === 0) return bare === host || bare === "localhost" || bare.endsWith(".localhost");
  // It takes an IPv4 address that is written as one of IPv6 for what it is.
  const own = new BlockList();
  own.addSubnet("127.0.0.0", 8, "ipv4");
  // Whoever connects to no address in particular reaches this machine.
  for (const address of ["0.0.0.0", "::", "::1", ...ownAddresses()])
    own.addAddress(address, familyOf(address));
  return own.check(bare, familyOf(bare));
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");
