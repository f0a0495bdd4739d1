// IP addresses of this machine: all of them, those that other machines can reach, and the one that its clients use.

import { networkInterfaces } from "node:os";

export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );

/** IPv4 only, which every local network supports. */
export function networkAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address),
  );
}

/** Of a server that is bound to `host`, as clients on this machine write it. */
export function baseUrlOf({ host, port }: { host: string; port: number }): string {
  const displayHost = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${displayHost.includes(":") ? `[${displayHost}]` : displayHost}:${port}/v1`;
}
