// Which addresses are on this machine.

import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Any other name counts as another machine, even one that resolves to a loopback address, since resolving sends a DNS
 * query.
 */
export function isLoopback({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(address);
  return version === 0
    ? address === "localhost"
    : loopback.check(address, version === 6 ? "ipv6" : "ipv4");
}
