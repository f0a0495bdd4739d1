import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { quietLog } from "../../support/app.ts";
import { createQuit } from "../../../main/electron/quit.ts";

/** Emits the events that Electron emits when it quits. */
class Leaving extends EventEmitter {
  readonly gone = Promise.withResolvers<void>();
  quit(): void {
    this.emit("before-quit", {});
    let isPrevented = false;
    this.emit("will-quit", { preventDefault: () => (isPrevented = true) });
    if (!isPrevented) this.gone.resolve();
  }
}

function leaving(close: () => Promise<void>, timeoutMs = 60_000) {
  const app = new Leaving();
  let closed = 0;
  const quit = createQuit({
    app: app as never,
    close() {
      closed += 1;
      return close();
    },
    log: quietLog,
    timeoutMs,
  });
  return { app, quit, closed: () => closed };
}

it("closes once, and lets the process exit only afterwards", async () => {
  const ending = Promise.withResolvers<void>();
  const { app, quit, closed } = leaving(() => ending.promise);
  app.quit();
  app.quit();
  let isGone = false;
  void app.gone.promise.then(() => (isGone = true));
  await Promise.resolve();
  expect([closed(), isGone, quit.isQuitting()]).toEqual([1, false, true]);
  ending.resolve();
  await app.gone.promise;
  expect(closed()).toBe(1);
});

it("exits even if closing fails or exceeds the timeout", async () => {
  const failing = leaving(() => Promise.reject(new Error("stuck")));
  failing.app.quit();
  await expect(failing.app.gone.promise).resolves.toBeUndefined();
  const late = leaving(() => new Promise(() => {}), 20);
  late.app.quit();
  await expect(late.app.gone.promise).resolves.toBeUndefined();
});

it("runs the final step when everything is closed, and exits when that step gives up", async () => {
  const { app, quit, closed } = leaving(async () => {});
  const last = Promise.withResolvers<[closed: number, giveUp: () => void]>();
  quit.quitThen((giveUp) => last.resolve([closed(), giveUp]));
  const [closedBefore, giveUp] = await last.promise;
  expect(closedBefore).toBe(1);
  giveUp();
  await app.gone.promise;
  expect(closed()).toBe(1);
});

it("resumes a cancelled quit with its original purpose", async () => {
  const { app, quit, closed } = leaving(async () => {});
  const last = Promise.withResolvers<void>();
  // A window that stays open cancels the quit before anything is closed.
  const goingOn = Promise.withResolvers<() => void>();
  vi.spyOn(app, "quit").mockImplementationOnce(() => {
    app.emit("before-quit", {});
    goingOn.resolve(quit.cancel());
  });
  quit.quitThen(() => last.resolve());
  expect([quit.isQuitting(), closed()]).toEqual([false, 0]);
  (await goingOn.promise)();
  await last.promise;
  expect(closed()).toBe(1);
});

it("can be cancelled by a window until closing has begun", () => {
  const { app, quit } = leaving(() => new Promise(() => {}));
  app.emit("before-quit", {});
  expect(quit.isQuitting()).toBe(true);
  quit.cancel();
  expect(quit.isQuitting()).toBe(false);
  app.quit();
  quit.cancel();
  expect(quit.isQuitting()).toBe(true);
});
