// An engine process whose writes can be made to fail: its TMPDIR is the folder with the fault plan.

import { tmpdir } from "node:os";
import { injectFaults } from "./faults.ts";

injectFaults(tmpdir());
await import("../../../main/engines/pool/child.ts");
