// The addresses of this machine: all of them, and those that other machines reach it by.

import { networkInterfaces } from "node:os";

export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );

/** Of this machine, as its network knows it: IPv4, which every network around a machine speaks. */
export function networkAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address),
  );
}
