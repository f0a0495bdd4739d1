// Where the window starts. The app is a module of its own because the parser of answers must be told before its
// schemas are built that this page may not compile code at run time (the page's security policy).
import { z } from "zod";

z.config({ jitless: true });
const { start } = await import("./app.tsx");
await start();
