// Announces the Wyoming port on the local network by multicast DNS (zeroconf), so that Home Assistant finds it by
// itself. Never while Offline is on.

import { Bonjour } from "bonjour-service";
import type { EventEmitter } from "node:events";
import type { Log } from "../../log.ts";
import type { Outbound } from "../../network/outbound.ts";

export type AnnouncementOptions = {
  port: number;
  /** The port also listens on IPv6. */
  hasIPv6: boolean;
  /** Of this installation: Home Assistant recognizes it by its name. */
  instanceId: string;
  outbound: Pick<Outbound, "isOffline" | "onChange">;
  log: Log;
  /** Default: multicast DNS. */
  openResponder?: (report: (error: unknown) => void) => Responder;
};

export type Responder = Pick<Bonjour, "publish" | "unpublishAll" | "destroy">;

export type Announcement = {
  /** Tells the network that the port is gone. */
  close(): Promise<void>;
};

const serviceType = "wyoming";
/** Time limit for announcing that the port is closed. */
const goodbyeMs = 500;

export function announce({
  outbound,
  instanceId,
  port,
  hasIPv6,
  log,
  openResponder = openMulticast,
}: AnnouncementOptions): Announcement {
  let responder: Responder | undefined;
  const name = `hearsay-${instanceId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(0, 12)}`;
  const report = (error: unknown): void =>
    log.warn({ err: error }, "Home Assistant may not find Hearsay: it could not be announced");

  function start(): void {
    try {
      responder = openResponder(report);
      responder.publish({
        name,
        type: serviceType,
        port,
        // Not the name of this machine, which its own responder answers for.
        host: `${name}.local`,
        disableIPv6: !hasIPv6,
        // The name is unique.
        probe: false,
      });
    } catch (error) {
      report(error);
    }
  }

  async function stop(isNetworkAllowed: boolean): Promise<void> {
    const stopping = responder;
    responder = undefined;
    if (stopping === undefined) return;
    const gone = Promise.withResolvers<void>();
    if (isNetworkAllowed) {
      setTimeout(gone.resolve, goodbyeMs).unref();
      stopping.unpublishAll(() => gone.resolve());
      await gone.promise;
    }
    stopping.destroy();
  }

  const unsubscribe = outbound.onChange(() => {
    if (outbound.isOffline()) void stop(false);
    else if (responder === undefined) start();
  });
  if (!outbound.isOffline()) start();
  return {
    close() {
      unsubscribe();
      return stop(!outbound.isOffline());
    },
  };
}

function openMulticast(report: (error: unknown) => void): Bonjour {
  const bonjour = new Bonjour({}, report);
  // Errors of its socket have no public listener, and would end the process, as where a program holds its port alone.
  const { server } = bonjour as unknown as { server: { mdns: EventEmitter } };
  server.mdns.on("error", report);
  return bonjour;
}
