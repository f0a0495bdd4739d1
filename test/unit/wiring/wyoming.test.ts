import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createLog } from "../../../main/log.ts";
import { createAdmission } from "../../../main/server/http/admission.ts";
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
  const wyoming = wireWyoming(
    {
      settings,
      log: createLog("warn", { write: (line) => void logLines.push(line) }),
      temp: { path: () => "/nowhere" },
      models: { store: { list: models } },
      engines: { local },
      serving: { localRouter: createTestRouter([toRegisteredChannel(local)]).router },
    } as unknown as Services,
    createAdmission(4),
  );
  onTestFinished(wyoming.close);
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

it("opens nothing unless it is switched on", async () => {
  const { wyoming, logLines } = wire({});
  await wyoming.open();
  await wyoming.close();
  expect(logLines).toEqual([]);
});
