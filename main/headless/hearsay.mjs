#!/usr/bin/env node
// What `npm start` and `npx hearsay` run.

import { join } from 'node:path';
import { runUnderNode24 } from './node24.mjs';

await runUnderNode24(join(import.meta.dirname, 'main.ts'), process.argv.slice(2));
