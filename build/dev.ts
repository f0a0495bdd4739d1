// `npm run dev`: serves the window's page from Vite's development server with hot reload, and restarts the app whenever
// its sources change. Uses its own data folder and key, separate from an installed Hearsay.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { watch } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { createServer, type ProxyOptions } from "vite";
import { distDir, projectDir } from "./built-folder.ts";

const restartDelayMs = 200;
const dataDir = process.env["HEARSAY_DATA_DIR"] ?? join(distDir, "dev-data");
const apiKey = randomBytes(24).toString("hex");
const apiPort = Number(process.env["HEARSAY_PORT"] ?? (await findFreePort()));
/** The page expects the app below the first segment of its own path. */
const base = "/dev/";

let app: ChildProcess | undefined;
let isEnding = false;

async function findFreePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function startApp(): void {
  app = spawn(
    process.execPath,
    [join(projectDir, "main", "cli", "main.ts"), "serve", "--headless"],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        HEARSAY_DATA_DIR: dataDir,
        HEARSAY_API_KEY: apiKey,
        HEARSAY_PORT: String(apiPort),
      },
    },
  );
}

async function stopApp(): Promise<void> {
  if (app === undefined || app.exitCode !== null || app.signalCode !== null) return;
  const exited = once(app, "exit");
  app.kill("SIGTERM");
  await exited;
}

async function restartApp(): Promise<void> {
  if (isEnding) return;
  process.stdout.write("\nThe app's sources changed: restarting.\n");
  await stopApp();
  startApp();
}

let restartTimer: NodeJS.Timeout | undefined;
let restarting = Promise.resolve();
/** Combines several changes into one restart. */
function restartSoon(): void {
  clearTimeout(restartTimer);
  restartTimer = setTimeout(() => {
    restarting = restarting.then(restartApp);
  }, restartDelayMs);
}

/** The development server adds the owner's key, so it must only serve its own page. */
function refuseOtherSites(request: IncomingMessage): string | false | null {
  const site = request.headers["sec-fetch-site"];
  return site === undefined || site === "same-origin" || site === "none" ? null : false;
}

const toApp: ProxyOptions = {
  target: `http://127.0.0.1:${apiPort}`,
  rewrite: (path) => path.slice(base.length - 1),
  headers: { authorization: `Bearer ${apiKey}` },
  bypass: refuseOtherSites,
};

startApp();
const watcher = watch(join(projectDir, "main"), { recursive: true }, (_, path) => {
  if (path !== null && /\.(ts|mjs|json)$/.test(path)) restartSoon();
});
const server = await createServer({
  configFile: join(projectDir, "vite.config.ts"),
  base,
  plugins: [react()],
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { [`^${base}(app|v1)/`]: toApp },
  },
});
await server.listen();
process.stdout.write(
  `The page: ${server.resolvedUrls?.local[0] ?? ""}transcribe\nThe API: http://127.0.0.1:${apiPort}/v1, key ${apiKey}\n`,
);

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  clearTimeout(restartTimer);
  watcher.close();
  await restarting;
  await Promise.all([stopApp(), server.close()]);
  process.exit();
}
// Vite's own listener would end this process before the app has stopped.
process.removeAllListeners("SIGTERM");
process.on("SIGINT", () => void end());
process.on("SIGTERM", () => void end());
