// `npm run dev`: the page from its sources, served in front of a running app.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { openTestFolder } from "../support/test-data.ts";

const devModule = resolve(import.meta.dirname, "..", "..", "build", "dev.ts");

it("serves the page from its sources and forwards the app's routes for that page only, and stops both", async () => {
  const dev = spawn(process.execPath, [devModule], {
    env: { ...process.env, HEARSAY_DATA_DIR: await openTestFolder(), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let output = "";
    dev.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    while (!/listening/.test(output) || !/The page: /.test(output)) await once(dev.stdout, "data");
    const pageUrl = /The page: (\S+)transcribe/.exec(output)?.[1] as string;
    expect(await (await fetch(`${pageUrl}main.tsx`)).text()).toContain("app.tsx");
    expect(await (await fetch(`${pageUrl}app/info`)).json()).toMatchObject({
      version: expect.any(String) as string,
    });
    const fromElsewhere = await fetch(`${pageUrl}app/info`, {
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(fromElsewhere.status).toBe(404);
  } finally {
    dev.kill("SIGTERM");
    await once(dev, "exit");
  }
  expect(dev.exitCode).toBe(0);
});
