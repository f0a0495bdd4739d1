// Entry point. The app is imported dynamically, because zod must be configured before the first schema is created: the
// page's Content-Security-Policy forbids code generation (`jitless`).
import { z } from "zod";

z.config({ jitless: true });
const { start } = await import("./app.tsx");
await start();
