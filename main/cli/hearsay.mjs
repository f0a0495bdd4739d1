#!/usr/bin/env node
// Entry point of `npm start` and `npx hearsay`.

import { join } from "node:path";
import { runUnderNode24 } from "./node24.mjs";
import { endWithNpm } from "./npm-parent.mjs";

endWithNpm();
await runUnderNode24(join(import.meta.dirname, "main.ts"), process.argv.slice(2));
