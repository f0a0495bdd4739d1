// The request id in responses and in the log.

import { randomUUID } from "node:crypto";

export const newRequestId = () => `req_${randomUUID()}`;
