// Wires the port of Home Assistant's Wyoming protocol: this machine's models and nothing else, since the protocol has
// no keys. What is given at the start takes precedence over the choices in the window.

import { type WyomingChange, type WyomingState, wyomingState } from "../contract/wyoming.ts";
import { isForNetwork, type ServerAddress } from "../server/api-server.ts";
import type { Admission } from "../server/http/admission.ts";
import { announce, type Announcement } from "../server/wyoming/announcement.ts";
import { toInfoData } from "../server/wyoming/info.ts";
import { openWyomingServer, type WyomingServer } from "../server/wyoming/server.ts";
import type { WyomingServices } from "../server/wyoming/session.ts";
import { createTurns } from "../processes/run-in-turns.ts";
import type { Settings } from "../storage/settings/settings.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { Services } from "./services.ts";

export type WiredWyoming = {
  /** undefined while it is closed. */
  address(): ServerAddress | undefined;
  state(): WyomingState;
  /** No effect if it is open or switched off. Never rejects: everything else works without it. */
  open(): Promise<void>;
  /**
   * Stores the settings and applies them, if `open` was called.
   * @throws the system's error if the port cannot be opened; everything stays as it was then
   */
  change(change: WyomingChange): Promise<void>;
  close(): Promise<void>;
};

/** Callers of this port in usage records. */
const caller = "wyoming";

export function wireWyoming(
  { settings, temp, log, stored, models, engines, network, serving }: Services,
  admission: Admission,
): WiredWyoming {
  const { configuration } = stored;
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
  const given = givenSettings(settings);
  const state = (): WyomingState => ({
    ...configuration.wyoming(),
    ...given,
    given: wyomingState.shape.given.parse(Object.keys(given)),
  });
  let server: WyomingServer | undefined;
  let announcement: Announcement | undefined;
  let address: ServerAddress | undefined;
  let isWanted = false;
  const inTurn = createTurns();

  /** @throws the system's error if the port cannot be opened */
  async function start(): Promise<void> {
    const { isOn, port, isNetworkOpen, isAnnounced } = state();
    if (!isOn || !isWanted || server !== undefined) return;
    const host = settings.wyomingHost ?? (isNetworkOpen ? "0.0.0.0" : "127.0.0.1");
    server = await openWyomingServer({ services, host, port, log: wyomingLog });
    address = { host, port };
    if (isForNetwork(host))
      wyomingLog.warn(
        { host, port },
        "the Wyoming protocol has no keys: whoever reaches this port can transcribe and synthesize with it",
      );
    const hasIPv6 = host === "::";
    // At a single address, an announcement would name others as well, where nothing listens.
    if ((host === "0.0.0.0" || hasIPv6) && isAnnounced)
      announcement = announce({
        port,
        hasIPv6,
        instanceId: configuration.instanceId(),
        outbound: network.outbound,
        log: wyomingLog,
      });
  }

  async function stop(): Promise<void> {
    await Promise.all([announcement?.close(), server?.close()]);
    announcement = undefined;
    server = undefined;
    address = undefined;
  }

  const startOrLog = (): Promise<void> =>
    start().catch((error: unknown) =>
      wyomingLog.error(
        { err: error },
        `port ${state().port} could not be opened: Home Assistant cannot reach Hearsay there`,
      ),
    );

  return {
    address: () => address,
    state,
    open: () =>
      inTurn(async () => {
        isWanted = true;
        await startOrLog();
      }),
    change: (change) =>
      inTurn(async () => {
        const before = configuration.wyoming();
        configuration.setWyoming({ ...before, ...change });
        await stop();
        try {
          await start();
        } catch (error) {
          configuration.setWyoming(before);
          await startOrLog();
          throw error;
        }
      }),
    close: () =>
      inTurn(async () => {
        isWanted = false;
        await stop();
      }),
  };
}

/** By environment or command line. A port that is given switches it on. */
const givenSettings = ({
  wyomingPort: port,
  wyomingHost: host,
  isWyomingAnnounced: isAnnounced,
}: Settings): WyomingChange => ({
  ...(port !== undefined && { isOn: true, port }),
  ...(host !== undefined && { isNetworkOpen: isForNetwork(host) }),
  ...(isAnnounced !== undefined && { isAnnounced }),
});
