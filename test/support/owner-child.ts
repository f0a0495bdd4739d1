// A process that owns a data folder until it is killed.

import { claimDataFolder } from "../../main/instance/ownership.ts";

const ownership = claimDataFolder(process.argv[2] ?? "");
await ownership?.serve(async () => ({ refused: [] }));
process.send?.("owned");
