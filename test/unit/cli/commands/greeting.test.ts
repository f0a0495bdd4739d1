import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { greeting, displayKey } from "../../../../main/cli/commands/greeting.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const key = "hs-secret-of-the-owner";

it("shows the key on a terminal", () => {
  expect(
    greeting(
      "http://127.0.0.1:4343/v1",
      displayKey({ key, keyFile: "/data/api-key", isFromFlag: false, isTerminal: true }),
      undefined,
    ),
  ).toContain(`API key   ${key}`);
});

it.each([
  ["the file that contains the key", "/data/api-key", false, "in the file /data/api-key"],
  ["the variable that set the key", undefined, false, "as given by HEARSAY_API_KEY"],
  ["the flag that set the key", undefined, true, "as given by --api-key"],
])("names %s where the output is not a terminal", (_name, keyFile, isFromFlag, text) => {
  const shown = greeting(
    "http://127.0.0.1:4343/v1",
    displayKey({ key, keyFile, isFromFlag, isTerminal: false }),
    undefined,
  );
  expect(shown).toContain(`API key   ${text}\n`);
  expect(shown).not.toContain(key);
});

it.skipIf(process.platform === "win32")(
  "prints shell commands that read the key from a file with any name",
  async () => {
    const dir = join(await openTestFolder(), "it's $HOME `here`");
    mkdirSync(dir);
    const keyFile = join(dir, "api-key");
    writeFileSync(keyFile, `${key}\n`);
    const { shellText } = displayKey({ key, keyFile, isFromFlag: false, isTerminal: false });
    expect(
      execFileSync("sh", ["-c", `printf %s "Bearer ${shellText}"`], { encoding: "utf8" }),
    ).toBe(`Bearer ${key}`);
  },
);
