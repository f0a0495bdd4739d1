// An outbound for tests: all hosts are allowed, and nothing is recorded.

import { createOutbound } from "../../main/network/outbound.ts";

export const openOutbound = createOutbound(() => false, { add() {} });
