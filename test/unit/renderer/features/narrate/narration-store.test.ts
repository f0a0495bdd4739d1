import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Narration } from "../../../../../main/contract/narration.ts";
import { ApiError } from "../../../../../renderer/api/error.ts";
import { t } from "../../../../../renderer/messages/messages.ts";
import { createNarrationStore } from "../../../../../renderer/features/narrate/script/narration-store.ts";
import type { NarrationChange } from "../../../../../renderer/features/narrate/script/narration-versions.ts";
import { narrationOf, sentence } from "./sentences.ts";

/** The app's side: stores one narration, counts revisions, and may be unreachable. */
function appWith(script: string, made: readonly string[] = []) {
  const app = {
    held: narrationOf(script, made),
    made: [...made],
    changes: [] as NarrationChange[],
    failure: undefined as ApiError | undefined,
    read: async (): Promise<Narration> => app.held,
    async change(change: NarrationChange): Promise<Narration> {
      if (app.failure !== undefined) throw app.failure;
      if (change.revision !== app.held.revision)
        throw new ApiError(409, "conflict", { message: "changed elsewhere" });
      app.changes.push(change);
      app.held = narrationOf(change.script, app.made, {
        revision: change.revision + 1,
        options: change.options,
      });
      return app.held;
    },
  };
  return app;
}

async function opened(app: ReturnType<typeof appWith>) {
  const store = createNarrationStore(app);
  await store.load();
  return store;
}

/** Unsaved changes here, and a change by another window. */
async function inConflict() {
  const app = appWith("One. Two.");
  const store = await opened(app);
  app.held = narrationOf("One. TWO.", [], { revision: 2 });
  store.setScript("Eins. Two.");
  await vi.advanceTimersByTimeAsync(1000);
  store.setScript("Eins. Zwei.");
  await vi.advanceTimersByTimeAsync(60_000);
  return { app, store };
}

describe("an open narration", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is saved once, a moment after the last keystroke", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    store.setScript("One. T");
    store.setScript("One. Two.");
    expect(store.unsaved()).toMatchObject([{ revision: 1, script: "One. Two." }]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(app.changes.map(({ script }) => script)).toEqual(["One. Two."]);
    expect(store.getState()).toMatchObject({ saving: "saved", script: "One. Two." });
    expect(store.getState().sentences.map(({ id }) => id)).toEqual(["One.", "Two."]);
    expect(store.unsaved()).toEqual([]);
  });

  it("saves a change of the cast, and nothing for the same in another order", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    const { options } = store.getState();
    store.setOptions({ ...options, cast: [{ name: "Mara", voice: "onyx" }] });
    await vi.advanceTimersByTimeAsync(1000);
    expect(app.changes.map((change) => change.options.cast)).toEqual([
      [{ name: "Mara", voice: "onyx" }],
    ]);
    store.setOptions({ cast: [{ voice: "onyx", name: "Mara" }], ...options });
    expect(store.unsaved()).toEqual([]);
  });

  it("keeps what was typed while the app is unreachable, and sends it when it is back", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    app.failure = new ApiError(0, "offline", { message: "no answer" });
    store.setScript("One. Two.");
    await vi.advanceTimersByTimeAsync(3000);
    expect(store.getState()).toMatchObject({
      saving: "retrying",
      script: "One. Two.",
      message: "no answer",
    });
    app.failure = undefined;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.getState().saving).toBe("saved");
    expect(app.held.script).toBe("One. Two.");
  });

  it("keeps both versions after a change elsewhere, until the user chooses one", async () => {
    const { app, store } = await inConflict();
    expect(app.held.script).toBe("One. TWO.");
    expect(store.getState()).toMatchObject({
      script: "Eins. Zwei.",
      saving: "conflict",
      message: t("narrate.conflict"),
    });
    // The app would refuse it.
    expect(store.unsaved()).toEqual([]);
  });

  it("saves the local version over the other one", async () => {
    const { app, store } = await inConflict();
    store.keepLocal();
    await vi.advanceTimersByTimeAsync(1000);
    expect(app.held).toMatchObject({ script: "Eins. Zwei.", revision: 3 });
    expect(store.getState()).toMatchObject({ script: "Eins. Zwei.", saving: "saved" });
  });

  it("loads the other version", async () => {
    const { app, store } = await inConflict();
    store.acceptRemote();
    await vi.advanceTimersByTimeAsync(1000);
    expect(app.changes).toEqual([]);
    expect(store.getState()).toMatchObject({ script: "One. TWO.", saving: "saved" });
    expect(store.getState().sentences.map(({ id }) => id)).toEqual(["One.", "TWO."]);
  });

  it("sees no conflict with a save of its own whose response did not arrive", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    const { change } = app;
    app.change = async (given) => {
      app.change = change;
      await change(given);
      throw new ApiError(0, "offline", { message: "no answer" });
    };
    store.setScript("One. Two.");
    await store.save();
    store.setScript("One. Two. Three.");
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.getState()).toMatchObject({ script: "One. Two. Three.", saving: "saved" });
    expect(app.held.script).toBe("One. Two. Three.");
  });

  it("marks a changed sentence as stale when it had a take, until it has a new one", async () => {
    const app = appWith("One. Two. Three.", ["One.", "Two.", "Three."]);
    const store = await opened(app);
    store.setScript("One. Too. Three.");
    await vi.advanceTimersByTimeAsync(1000);
    expect([...store.getState().stale]).toEqual(["Too."]);
    store.updateSentence(sentence("Too.", { audioSec: 1 }));
    expect([...store.getState().stale]).toEqual([]);
    expect(store.getState().sentences[1]?.takes).toHaveLength(1);
  });

  it("does not replace the state of later events by an earlier response", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    const before = app.held;
    app.read = async () => {
      store.updateSentence(sentence("One.", { audioSec: 1 }));
      return before;
    };
    await store.load();
    expect(store.getState().sentences[0]?.takes).toHaveLength(1);
  });

  it("keeps what is typed when the response to another request has a newer script", async () => {
    const app = appWith("One. Two. Three.", ["One.", "Two.", "Three."]);
    const store = await opened(app);
    store.setScript("ONE. Two. Three.");
    app.held = narrationOf("One. Two. THREE.", [], { revision: 2 });
    store.applyNarration(app.held);
    await vi.advanceTimersByTimeAsync(2000);
    expect(app.held.script).toBe("One. Two. THREE.");
    expect(store.getState()).toMatchObject({ script: "ONE. Two. Three.", saving: "conflict" });
  });

  it("keeps showing what was saved while an older response was on its way", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    const before = app.held;
    app.read = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return before;
    };
    void store.load();
    store.setScript("One. Two.");
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.getState()).toMatchObject({ script: "One. Two.", saving: "saved" });
    expect(app.held.script).toBe("One. Two.");
  });

  it("does not reload after the event for its own change, but does after one for pronunciations", async () => {
    const app = appWith("One.");
    const store = await opened(app);
    const read = vi.spyOn(app, "read");
    store.setScript("Two.");
    await vi.advanceTimersByTimeAsync(1000);
    store.onRevision(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(read).not.toHaveBeenCalled();
    store.onRevision(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
