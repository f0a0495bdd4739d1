// Pages for browsers without a session: they need no built files.

import { textResponse } from "../http/sized-response.ts";

/**
 * Used after a link from another page, such as the file that opens the browser: a redirect would still count as
 * cross-site, and the browser would omit the cookie.
 */
export function redirectPage(): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=./">
<title>Hearsay</title>
<p><a href="./">Open Hearsay</a></p>
</html>
`;
  return textResponse(html, "text/html; charset=utf-8");
}

/**
 * Shown without a session. Its link helps those that came by a link from another page: the browser withheld their
 * cookie then, and sends it from here.
 */
export function lockedPage(): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hearsay</title>
<h1>This window is locked</h1>
<p>Open it by the link that Hearsay printed when it started. A link works once, for ten minutes;
<code>npx hearsay window</code> prints a new one.</p>
<p><a href="./">Try again</a></p>
</html>
`;
  return textResponse(html, "text/html; charset=utf-8", { "cache-control": "no-store" }, 401);
}
