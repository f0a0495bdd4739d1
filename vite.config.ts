// Two configurations in one file: how the window's page is built, and how tests run (mode `test`). An engine process
// computes on one core and much of a test is waiting: two files at a time, also where they start real engines.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";

const inFolder = (paths: readonly string[]): string[] =>
  paths.map((path) => path.replaceAll("\\", "/"));
/** What tests call that load model weights or start child processes. */
const startsProcesses =
  /node:child_process|\b(createLauncher|loadHibari|loadTextToSpeech|loadSpeechToText|loadVad|createModelFileReader|synthesizeSamples)\(|\b(engineModule|scriptedModule)\b/;
/** Files of `test/unit` that do so: they are part of `test:engine`. */
const unitWithProcesses = (): string[] =>
  inFolder(globSync("test/unit/**/*.test.{ts,tsx}", { cwd: import.meta.dirname })).filter((path) =>
    startsProcesses.test(readFileSync(join(import.meta.dirname, path), "utf8")),
  );
/** Short forms of the parts of `npm run endure`. */
const endurance = "test/endure/short/*.test.ts";

const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  maxWorkers: 2,
  // Imported outside of Electron, the package would download the program.
  alias: [
    {
      find: /^electron$/,
      replacement: join(import.meta.dirname, "test", "support", "fake-electron.ts"),
    },
  ],
};

function tests() {
  const withProcesses = unitWithProcesses();
  const unit = ["test/*.test.ts", "test/unit/**/*.test.{ts,tsx}"];
  return {
    test: {
      reporters: ["default"],
      sequence: { sequencer: SlowFilesFirst },
      projects: [
        // Neither weights nor child processes, and each file puts back what it replaced: the files of a worker share their modules.
        {
          test: {
            ...shared,
            name: "unit",
            isolate: false,
            include: unit,
            exclude: withProcesses,
            sequence: { groupOrder: 1 },
          },
        },
        {
          test: {
            ...shared,
            name: "engine",
            include: [...withProcesses, "test/engine/**/*.test.ts"],
            sequence: { groupOrder: 2 },
          },
        },
        {
          test: {
            ...shared,
            name: "system",
            include: ["test/system/**/*.test.ts"],
            sequence: { groupOrder: 2 },
          },
        },
        // They measure delays and memory, and load the machine on purpose: one at a time, with nothing beside them.
        {
          test: {
            ...shared,
            name: "endurance",
            include: [endurance],
            maxWorkers: 1,
            sequence: { groupOrder: 3 },
          },
        },
      ],
    },
  };
}

/** Most of what a test's process does at its start is to compile the same modules as the one before: they keep that. */
function keepCompiledCode(): void {
  process.env["NODE_COMPILE_CACHE"] ??= join(
    import.meta.dirname,
    "node_modules",
    ".cache",
    "compiled-for-tests",
  );
}

/** Where the page goes, who may start this, and the compressed copies are build/build-page.ts's matter. */
const page = {
  root: join(import.meta.dirname, "renderer"),
  build: {
    target: ["chrome140", "firefox140", "safari18"],
    // The page's policy allows nothing inline and no code beside files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      // What pages share would be some thirty files, each icon one of its own: as one it is 16 kB less, compressed.
      // What main.tsx needs before the rest is none of it.
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
      // React's libraries say of every file that it is for browsers: so is all of this.
      onLog: (
        level: string,
        log: { code?: string },
        tell: (level: string, log: object) => void,
      ) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") tell(level, log);
      },
    },
  },
};

export default defineConfig(({ mode }) => {
  if (mode !== "test") return page;
  keepCompiledCode();
  return tests();
});
