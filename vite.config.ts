// Two configurations: the build of the window's page, and the tests (mode `test`).
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { fillTranslations } from "./build/fill-translations.ts";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";

const filesWith = (glob: string, pattern: RegExp): string[] =>
  globSync(glob, { cwd: import.meta.dirname })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => pattern.test(readFileSync(join(import.meta.dirname, path), "utf8")));
/** Functions that only tests with model weights or child processes call. */
const startsProcesses =
  /node:child_process|\b(createLauncher|loadHibari|loadTextToSpeech|loadSpeechToText|loadVad|createModelFiles|synthesizeSamples)\(|\b(engineModule|scriptedModule)\b/;
const usesElectron = /\bstartDesktop\(|\.\.\/main\/electron\//;
/** Short versions of the tests of `npm run endure`; some measure delays or memory. */
const endurance = "test/endure/short/*.test.ts";
const measuring = "test/endure/short/{documents,media,overload,responsiveness}.test.ts";

const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // The default of one second is not enough while other files run in parallel.
  expect: { poll: { timeout: 60_000 } },
  // Importing the package outside of Electron would download the program.
  alias: [
    {
      find: /^electron$/,
      replacement: join(import.meta.dirname, "test", "support", "fake-electron.ts"),
    },
  ],
};

/** They mostly wait for processes, so four files run in parallel on two cores. */
const withEngines = {
  ...shared,
  testTimeout: 240_000,
  isolate: false,
  // Real engines and browsers on a busy machine; the output names what was repeated.
  retry: 1,
  maxWorkers: 4,
  sequence: { groupOrder: 2 },
};

/** Node loads the modules, which is faster than Vite; nothing in them needs Vite. */
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };

function tests() {
  // They belong to `test:engine`.
  const withProcesses = filesWith("test/unit/**/*.test.{ts,tsx}", startsProcesses);
  // Vite replaces Electron by the fake, and loads a new copy of the desktop app for each test.
  const desktop = filesWith("test/system/**/*.test.ts", usesElectron);
  const desktopUnit = withProcesses.filter((path) => path.startsWith("test/unit/electron/"));
  const unit = ["test/*.test.ts", "test/unit/**/*.test.{ts,tsx}"];
  return {
    test: {
      reporters: ["default"],
      sequence: { sequencer: SlowFilesFirst },
      projects: [
        // No weights and no child processes. As in the other projects, each file restores what it replaced, so the
        // files of a worker can share modules.
        {
          test: {
            ...shared,
            name: "unit",
            isolate: false,
            maxWorkers: 3,
            include: unit,
            exclude: withProcesses,
            sequence: { groupOrder: 1 },
          },
        },
        {
          test: {
            ...withEngines,
            ...native,
            name: "engine",
            include: [...withProcesses, "test/engine/**/*.test.ts"],
            exclude: desktopUnit,
          },
        },
        {
          test: {
            ...withEngines,
            ...native,
            name: "system",
            include: ["test/system/**/*.test.ts", endurance],
            exclude: [measuring, ...desktop],
          },
        },
        { test: { ...withEngines, name: "desktop", include: [...desktop, ...desktopUnit] } },
        // They load the machine on purpose, too: one at a time, with nothing in parallel.
        {
          test: {
            ...shared,
            name: "endurance",
            include: [measuring],
            maxWorkers: 1,
            sequence: { groupOrder: 3 },
          },
        },
      ],
    },
  };
}

/** Only bundling. See build/build-page.ts for output path, concurrency and compressed copies. */
const page = {
  root: join(import.meta.dirname, "renderer"),
  plugins: [fillTranslations],
  build: {
    target: ["chrome140", "firefox140", "safari18"],
    // The page's CSP allows nothing inline and no scripts besides files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      // One chunk for shared modules instead of about thirty (each icon has its own) saves 16 kB compressed. The first
      // chunk has what main.tsx needs before the rest.
      output: {
        codeSplitting: {
          groups: [
            { name: "first", test: /node_modules.zod|preload-helper/, priority: 1 },
            {
              name: "shared",
              test: /renderer.(ui|stores|bridge|api)|lucide-react/,
              minShareCount: 2,
            },
          ],
        },
      },
      // React libraries mark every file as for browsers ("use client"), which applies to all code here.
      onLog: (
        level: string,
        log: { code?: string },
        defaultHandler: (level: string, log: object) => void,
      ) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") defaultHandler(level, log);
      },
    },
  },
};

export default defineConfig(({ mode }) => (mode === "test" ? tests() : page));
