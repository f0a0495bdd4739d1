// The id that a client can name and the log can be searched for.

import { randomUUID } from "node:crypto";

export const newRequestId = () => `req_${randomUUID()}`;
