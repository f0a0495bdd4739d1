import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { StreamEvent } from "../../../../main/contract/command-line-streams.ts";
import type { CommandContext } from "../../../../main/cli/commands/command.ts";
import { speak } from "../../../../main/cli/commands/speak.ts";
import { openTestFolder } from "../../../support/test-data.ts";

it("says once which voices took over, and what no voice here knows", async () => {
  const notes: string[] = [];
  const casting = { takenOverBy: ["ef_dora"], warning: "'nova' reads German as its own." };
  async function* stream(): AsyncGenerator<StreamEvent<"speak">> {
    yield { bytes: "AQI=", ...casting };
    yield { bytes: "Aw==", ...casting };
  }
  const path = join(await openTestFolder(), "talk.mp3");
  const context = {
    positionals: ["¡Hola! Guten Morgen!"],
    values: { out: path },
    settings: { voiceAliases: new Map() },
    client: async () => ({ stream }),
    progress: { show: () => {}, clear: () => {} },
    warn: (note: string) => void notes.push(note),
  } as unknown as CommandContext;
  expect(await speak.run(context)).toBe(0);
  expect([...(await readFile(path))]).toEqual([1, 2, 3]);
  expect(notes).toEqual([
    "ef_dora: spoke what is in a language that the voice does not know",
    "'nova' reads German as its own.",
  ]);
});
