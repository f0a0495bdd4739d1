// Two configurations in one file: how the window's page is built, and how tests run (mode `test`). Real engines run in
// child processes, on all cores: test files that start them go one after the other, behind the others.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Imported outside of Electron, the package would download the program.
  alias: [{ find: /^electron$/, replacement: join(import.meta.dirname, 'test', 'support', 'fake-electron.ts') }],
};

const tests = {
  test: {
    reporters: ['default'],
    projects: [
      { test: { ...shared, name: 'unit', include: ['test/*.test.ts', 'test/unit/**/*.test.{ts,tsx}'], maxWorkers: 2, sequence: { groupOrder: 1 } } },
      { test: { ...shared, name: 'whole', include: ['test/{integration,e2e}/**/*.test.ts'], fileParallelism: false, sequence: { groupOrder: 2 } } },
    ],
  },
};

/** Where the page goes, who may start this, and the compressed copies are main/headless/build-page.ts's matter. */
const page = {
  root: join(import.meta.dirname, 'renderer'),
  build: {
    target: ['chrome140', 'firefox140', 'safari18'],
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
            { name: 'first', test: /node_modules.zod|preload-helper/, priority: 1 },
            { name: 'shared', test: /renderer.(ui|stores|bridge|api)|lucide-react/, minShareCount: 2 },
          ],
        },
      },
      // React's libraries say of every file that it is for browsers: so is all of this.
      onLog: (level: string, log: { code?: string }, tell: (level: string, log: object) => void) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
};

export default defineConfig(({ mode }) => (mode === 'test' ? tests : page));
