import { join } from "node:path";
import { expect, it } from "vitest";
import type { AppClient } from "../../../../main/cli/app-client.ts";
import { channels } from "../../../../main/cli/commands/channels.ts";
import type { Command, CommandContext } from "../../../../main/cli/commands/command.ts";
import { keys } from "../../../../main/cli/commands/keys.ts";
import { library } from "../../../../main/cli/commands/library.ts";
import { models } from "../../../../main/cli/commands/models.ts";
import { usage } from "../../../../main/cli/commands/usage.ts";
import { neverAborted } from "../../../support/app.ts";

type Values = CommandContext["values"];

/** For each use of the app by a command, whether it holds the lock of the data folder. */
async function locksOf(
  command: Command,
  positionals: readonly string[],
  values: Values,
  call: AppClient["call"],
): Promise<boolean[]> {
  const locks: boolean[] = [];
  const context: Partial<CommandContext> = {
    positionals,
    values,
    async client(use) {
      locks.push(use?.changesNothing !== true);
      return { call } as AppClient;
    },
    signal: neverAborted(),
    print: async () => {},
    warn() {},
  };
  // It may fail after that.
  await command.run(context as CommandContext).catch(() => {});
  return locks;
}

const refuse = () => Promise.reject(new Error("refused"));

it.each<[string, Command, string[], Values, boolean]>([
  ["channels list", channels, ["list"], {}, false],
  ["channels presets", channels, ["presets"], {}, false],
  ["channels test", channels, ["test", "a"], {}, false],
  ["channels off", channels, ["off", "a"], {}, true],
  ["channels rm", channels, ["rm", "a"], {}, true],
  ["channels route", channels, ["route"], {}, true],
  ["keys list", keys, ["list"], {}, false],
  ["keys revoke", keys, ["revoke", "a"], {}, true],
  ["library export", library, ["export", join(import.meta.dirname, "none", "a.zip")], {}, false],
  ["library import", library, ["import", import.meta.filename], {}, true],
  ["models", models, [], {}, false],
  ["models rm", models, ["rm", "a"], {}, true],
  ["usage", usage, [], {}, false],
  ["usage --price", usage, [], { price: "tts-1", "per-minute": "1" }, true],
])("%s holds the data folder only if it may change something", async (_, command, ...rest) => {
  const [positionals, values, isLocked] = rest;
  expect(await locksOf(command, positionals, values, refuse)).toEqual([isLocked]);
});

it("channels add releases the data folder before it tests the channel", async () => {
  const responses: Readonly<Partial<Record<string, unknown>>> = {
    listChannels: { channels: [], presets: [] },
    addChannel: { id: "a" },
    testChannel: { ok: true, steps: [] },
  };
  const call = (async (name: string) => responses[name]) as AppClient["call"];
  const values = { url: "https://a.example/v1" };
  expect(await locksOf(channels, ["add", "a"], values, call)).toEqual([true, false]);
});
