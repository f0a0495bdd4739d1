import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "../../../main/log.ts";
import { createAdmission } from "../../../main/server/http/admission.ts";
import { openDatabase } from "../../../main/storage/database.ts";
import { createConfiguration } from "../../../main/storage/settings/configuration.ts";
import type { Settings } from "../../../main/storage/settings/settings.ts";
import type { Services } from "../../../main/wiring/services.ts";
import { wireWyoming } from "../../../main/wiring/wyoming.ts";
import { createFakeChannel, toRegisteredChannel } from "../../support/fake-channel.ts";
import { localModels } from "../../support/local-models.ts";
import { createTestRouter } from "../../support/test-router.ts";
import { connectWyoming } from "../../support/wyoming-client.ts";

async function listenSomewhere() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

function wire(settings: Partial<Settings>) {
  const logLines: string[] = [];
  const local = createFakeChannel({ isLocal: true });
  const { models } = localModels();
  const database = openDatabase(":memory:");
  const log = createLog("warn", { write: (line) => void logLines.push(line) });
  const configuration = createConfiguration(database, log);
  const wyoming = wireWyoming(
    {
      settings,
      stored: { configuration },
      log,
      temp: { path: () => "/nowhere" },
      models: { store: { list: models } },
      engines: { local },
      serving: { localRouter: createTestRouter([toRegisteredChannel(local)]).router },
    } as unknown as Services,
    createAdmission(4),
  );
  onTestFinished(async () => {
    await wyoming.close();
    database.close();
  });
  return { wyoming, logLines };
}

it("goes on without the port if another program has it, and says so", async () => {
  const { server, port } = await listenSomewhere();
  const { wyoming, logLines } = wire({ wyomingPort: port });
  await wyoming.open();
  expect(logLines.join()).toContain(`port ${port} could not be opened`);
  server.close();
  await once(server, "close");
  await wyoming.open();
  const client = await connectWyoming(port);
  client.send("describe");
  expect((await client.next())?.type).toBe("info");
  await wyoming.close();
  expect(await client.next()).toBe(undefined);
});

it("warns where other machines are served, and not otherwise", async () => {
  const { server, port } = await listenSomewhere();
  server.close();
  await once(server, "close");
  const here = wire({ wyomingPort: port });
  await here.wyoming.open();
  expect(here.logLines).toEqual([]);
  await here.wyoming.close();
  const network = wire({ wyomingPort: port, wyomingHost: "0.0.0.0", isWyomingAnnounced: false });
  await network.wyoming.open();
  expect(network.logLines.join()).toContain("has no keys");
});

it("opens, moves and closes as it is set in the window, and stays as it was if the port is taken", async () => {
  const [{ server, port }, taken] = [await listenSomewhere(), await listenSomewhere()];
  server.close();
  await once(server, "close");
  const { wyoming } = wire({ isWyomingAnnounced: false });
  await wyoming.change({ isOn: true, port });
  // The API is stopped.
  expect(wyoming.address()).toBe(undefined);
  await wyoming.open();
  expect(wyoming.address()).toEqual({ host: "127.0.0.1", port });
  await expect(wyoming.change({ port: taken.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(wyoming.state()).toMatchObject({ isOn: true, port, given: ["isAnnounced"] });
  expect((await connectWyoming(port)).send).toBeDefined();
  await wyoming.change({ isNetworkOpen: true });
  expect(wyoming.address()).toEqual({ host: "0.0.0.0", port });
  await wyoming.change({ isOn: false });
  expect(wyoming.address()).toBe(undefined);
});

it("keeps what was given at the start", async () => {
  const { port } = await listenSomewhere();
  const { wyoming } = wire({ wyomingPort: port, wyomingHost: "127.0.0.1" });
  await wyoming.change({ isOn: false, port: 10_301, isNetworkOpen: true });
  expect(wyoming.state()).toMatchObject({ isOn: true, port, isNetworkOpen: false });
  expect(wyoming.state().given.toSorted()).toEqual(["isNetworkOpen", "isOn", "port"]);
});

it("opens nothing unless it is switched on", async () => {
  const { wyoming, logLines } = wire({});
  await wyoming.open();
  await wyoming.close();
  expect(logLines).toEqual([]);
});
