// The windows' session with the window port: a cookie, set before any page is loaded. Its secret is in no address and
// no argument of a process.

import type { Session } from "electron";

/**
 * @param launchUrl an address of the window port that gives a session, for one use
 * @throws Error where it gives none
 */
export async function openWindowSession(session: Session, launchUrl: string): Promise<void> {
  const { headers } = await fetch(launchUrl, { redirect: "manual" });
  const [, name, value, path] =
    /^([^=;]+)=([^;]*); Path=([^;]+)/.exec(headers.getSetCookie()[0] ?? "") ?? [];
  if (name === undefined || value === undefined || path === undefined)
    throw new Error("the window port gave no session");
  // Without a date: as long as this app runs.
  await session.cookies.set({
    url: new URL(path, launchUrl).href,
    name,
    value,
    path,
    httpOnly: true,
    sameSite: "strict",
  });
}
