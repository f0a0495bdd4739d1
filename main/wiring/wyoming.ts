// Wires the port of Home Assistant's Wyoming protocol, if it is switched on: this machine's models and nothing else,
// since the protocol has no keys.

import { isForNetwork, type ServerAddress } from "../server/api-server.ts";
import type { Admission } from "../server/http/admission.ts";
import { announce, type Announcement } from "../server/wyoming/announcement.ts";
import { toInfoData } from "../server/wyoming/info.ts";
import { openWyomingServer, type WyomingServer } from "../server/wyoming/server.ts";
import type { WyomingServices } from "../server/wyoming/session.ts";
import { createTurns } from "../processes/run-in-turns.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { Services } from "./services.ts";

export type WiredWyoming = {
  /** undefined while it is closed. */
  address(): ServerAddress | undefined;
  /** No effect if it is open or switched off. Never rejects: everything else works without it. */
  open(): Promise<void>;
  close(): Promise<void>;
};

/** Callers of this port in usage records. */
const caller = "wyoming";

export function wireWyoming(
  { settings, temp, log, stored, models, engines, network, serving }: Services,
  admission: Admission,
): WiredWyoming {
  const { wyomingPort: port, wyomingHost: host = "127.0.0.1", isWyomingAnnounced } = settings;
  if (port === undefined) return { address: () => undefined, async open() {}, async close() {} };
  const wyomingLog = log.child({ room: "wyoming" });
  const { localRouter } = serving;
  const services: WyomingServices = {
    info: () =>
      toInfoData({
        models: models.store.list().filter(({ damaged }) => damaged === undefined),
        voices: engines.local.voices(),
        version: packageJson.version,
      }),
    voices: engines.local.voices,
    transcribe: (job, signal) => localRouter.transcribe(job, { caller, signal }),
    synthesize: (job, signal) => localRouter.synthesize(job, { caller, signal }),
    createSlot: admission.createSlot,
    tempDir: temp.path,
  };
  const hasIPv6 = host === "::";
  // At a single address, an announcement would name others as well, where nothing listens.
  const isAnnounced = (host === "0.0.0.0" || hasIPv6) && isWyomingAnnounced !== false;
  let server: WyomingServer | undefined;
  let announcement: Announcement | undefined;
  const inTurn = createTurns();
  return {
    address: () => server && { host, port },
    open: () =>
      inTurn(async () => {
        if (server !== undefined) return;
        try {
          server = await openWyomingServer({ services, host, port, log: wyomingLog });
        } catch (error) {
          wyomingLog.error(
            { err: error },
            `port ${port} could not be opened: Home Assistant cannot reach Hearsay there`,
          );
          return;
        }
        if (isForNetwork(host))
          wyomingLog.warn(
            { host, port },
            "the Wyoming protocol has no keys: whoever reaches this port can transcribe and synthesize with it",
          );
        if (isAnnounced)
          announcement = announce({
            port,
            hasIPv6,
            instanceId: stored.configuration.instanceId(),
            outbound: network.outbound,
            log: wyomingLog,
          });
      }),
    close: () =>
      inTurn(async () => {
        await Promise.all([announcement?.close(), server?.close()]);
        announcement = undefined;
        server = undefined;
      }),
  };
}
