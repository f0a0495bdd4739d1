// An engine process whose writes can be made to fail: the folder of faults is its TMPDIR.

import { tmpdir } from "node:os";
import { injectFaults } from "./faults.ts";

injectFaults(tmpdir());
await import("../../../main/engines/pool/child.ts");
