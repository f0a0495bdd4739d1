// Everything a page of another origin can try against the window's port.

import type { Page } from "playwright";

/**
 * @param target address with a trailing slash @returns number of attempts that read or loaded something; changes are
 * visible in the app
 */
export async function attackFromPage(page: Page, target: string): Promise<number> {
  const frameStatuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(target) && response.frame() !== page.mainFrame())
      frameStatuses.push(response.status());
  });
  const reached = await page.evaluate(attackInPage, target);
  return reached.length + frameStatuses.filter((status) => status < 400).length;
}

/* oxlint-disable unicorn/consistent-function-scoping, promise/no-multiple-resolved --
   all of it runs in the page, at once or not at all */
/** Runs in the page, so it must not use anything of this module. @returns what it reached */
async function attackInPage(target: string): Promise<string[]> {
  const timeoutMs = 2000;
  const withTimeout = (work: Promise<boolean>): Promise<boolean> =>
    Promise.race([
      work,
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), timeoutMs)),
    ]);
  const canLoad = (
    tag: "img" | "script" | "link" | "audio",
    attributes: Record<string, string>,
  ): Promise<boolean> =>
    new Promise((resolve) => {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      for (const name of ["load", "loadeddata"])
        element.addEventListener(name, () => resolve(true));
      element.addEventListener("error", () => resolve(false));
      document.body.append(element);
    });
  const frame = (): Promise<boolean> =>
    new Promise((resolve) => {
      const element = document.createElement("iframe");
      element.addEventListener("load", () => {
        try {
          resolve((element.contentDocument?.body.childElementCount ?? 0) > 0);
        } catch {
          resolve(false);
        }
      });
      element.src = target;
      document.body.append(element);
    });
  const canFetch = (init: RequestInit): Promise<boolean> =>
    fetch(`${target}app/keys`, { credentials: "include", ...init }).then(
      async (response) => response.type !== "opaque" && (await response.text()) !== "",
      () => false,
    );
  const canConnect = (socket: EventTarget & { close(): void }): Promise<boolean> =>
    new Promise((resolve) => {
      socket.addEventListener("open", () => resolve(true));
      socket.addEventListener("error", () => resolve(false));
    });
  const form = async (): Promise<boolean> => {
    const element = Object.assign(document.createElement("form"), {
      method: "post",
      action: `${target}app/keys`,
      target: "sink",
      enctype: "text/plain",
    });
    const sink = Object.assign(document.createElement("iframe"), { name: "sink" });
    // Encoded as text/plain, this form is JSON.
    element.append(
      Object.assign(document.createElement("input"), {
        name: '{"name":"stolen","x":"',
        value: '"}',
      }),
    );
    document.body.append(sink, element);
    const done = new Promise<boolean>((resolve) =>
      sink.addEventListener("load", () => resolve(false)),
    );
    element.submit();
    return withTimeout(done);
  };
  const popup = async (): Promise<boolean> => {
    const opened = open(`${target}app/info`, "_blank");
    await new Promise((resolve) => setTimeout(resolve, 200));
    try {
      return (opened?.document.body.textContent ?? "") !== "";
    } catch {
      return false;
    } finally {
      opened?.close();
    }
  };
  const attempts: Record<string, () => Promise<boolean>> = {
    read: () => canFetch({}),
    change: () => canFetch({ method: "POST", mode: "no-cors", body: '{"name":"stolen"}' }),
    preflighted: () =>
      canFetch({
        method: "POST",
        body: '{"name":"stolen"}',
        headers: { "content-type": "application/json" },
      }),
    image: () => canLoad("img", { src: `${target}icon.svg` }),
    script: () => canLoad("script", { src: `${target}icon.svg` }),
    style: () => canLoad("link", { rel: "stylesheet", href: `${target}icon.svg` }),
    sound: () => canLoad("audio", { src: `${target}app/voices/nova/sample` }),
    frame,
    socket: () => canConnect(new WebSocket(`${target.replace("http", "ws")}app/events`)),
    events: () => canConnect(new EventSource(`${target}app/events`, { withCredentials: true })),
    form,
    popup,
  };
  const reached: string[] = [];
  for (const [name, attempt] of Object.entries(attempts))
    if (await withTimeout(attempt().catch(() => false))) reached.push(name);
  return reached;
}
