import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { quietLog } from "../../support/app.ts";
import { createQuit } from "../../../main/electron/quit.ts";

/** Says what Electron says on its way out. */
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

it("what runs is ended once, and the process is gone only then", async () => {
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

it("what fails to end, or takes too long, keeps nobody", async () => {
  const failing = leaving(() => Promise.reject(new Error("stuck")));
  failing.app.quit();
  await expect(failing.app.gone.promise).resolves.toBeUndefined();
  const late = leaving(() => new Promise(() => {}), 20);
  late.app.quit();
  await expect(late.app.gone.promise).resolves.toBeUndefined();
});

it("what is to be last comes when nothing runs any more, and ends the process or lets it end", async () => {
  const { app, quit, closed } = leaving(async () => {});
  const last = Promise.withResolvers<[closed: number, giveUp: () => void]>();
  quit.quitThen((giveUp) => last.resolve([closed(), giveUp]));
  const [closedBefore, giveUp] = await last.promise;
  expect(closedBefore).toBe(1);
  giveUp();
  await app.gone.promise;
  expect(closed()).toBe(1);
});

it("what was called off goes on as it was meant", async () => {
  const { app, quit, closed } = leaving(async () => {});
  const last = Promise.withResolvers<void>();
  // A window that stays open calls it off before anything is ended.
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

it("a window that stays open calls it off, until the end has begun", () => {
  const { app, quit } = leaving(() => new Promise(() => {}));
  app.emit("before-quit", {});
  expect(quit.isQuitting()).toBe(true);
  quit.cancel();
  expect(quit.isQuitting()).toBe(false);
  app.quit();
  quit.cancel();
  expect(quit.isQuitting()).toBe(true);
});
