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
export const baseUrlOf = ({ host, port }: { host: string; port: number }): string =>
  boundUrlOf({ host: host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host, port });

/** As `baseUrlOf`, but with the address as it is bound, also if that means all of them. */
export const boundUrlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}/v1`;
