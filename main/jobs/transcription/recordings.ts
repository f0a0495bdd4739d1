// Recordings made in the window: every second of them is on the disk before the next one comes, text appears while one
// speaks, and what a crash left is found again.

import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Item, TranscribeOptions } from "../../contract/studio.ts";
import type { Documents, HeardSegment } from "../../library/documents.ts";
import type { Items } from "../../library/items.ts";
import type { PatientWrites } from "../../storage/patient-writes.ts";
import type { StudioEvents } from "../events.ts";
import { createLiveText, type LiveText, type LiveTextDeps } from "./live-text.ts";
import { openRecordingFile, type RecordingFile, sampleRateHz } from "./recording-file.ts";

export type Recordings = {
  /** @param title optional; default the time of day */
  begin(title: string | undefined, options: TranscribeOptions): Promise<Item>;
  /** As RecordingFile's. @throws AppError `not_found`, or `conflict` where it has ended */
  append(itemId: string, from: number, bytes: Uint8Array): Promise<number>;
  /** It is heard from here on. A second press changes nothing. */
  end(itemId: string): Promise<Item>;
  /** Ends it without hearing it; it can be heard later. Does nothing where it has ended. */
  abandon(itemId: string): Promise<void>;
  /** Ends what the app left open when it last ended. @returns their ids */
  recover(): Promise<string[]>;
  close(): Promise<void>;
};

export type RecordingsDeps = LiveTextDeps & {
  items: Items;
  documents: Documents;
  events: StudioEvents;
  writes: PatientWrites;
  /** The whole of it is there. */
  onEnd(itemId: string): void;
  /** Milliseconds, of a clock that only goes on. */
  now?(): number;
};

type Recording = {
  file: RecordingFile;
  text: LiveText;
  /** When sound came last. */ soundMs: number;
};

/** Without sound for so long while no window listens, nobody goes on with it; a window that does may be paused longer. */
const forsakenMs = 5 * 60_000;
const pausedMs = 3 * 3600_000;
const lookEveryMs = 60_000;

/** Shorter ones hold no word. */
const minSec = 0.1;

export function createRecordings(deps: RecordingsDeps): Recordings {
  const { items, documents, events, writes, onEnd, now = () => performance.now() } = deps;
  const open = new Map<string, Recording>();
  /** Whoever ends one that is being ended waits for the same. */
  const ending = new Map<string, Promise<Item>>();

  const pathOf = (itemId: string): string => join(items.folder(itemId), "source.wav");

  async function onHeard(itemId: string, heard: readonly HeardSegment[]): Promise<void> {
    if (items.find(itemId) === undefined) return;
    const segments = await writes.run(() => documents.appendSegments(itemId, heard));
    events.publish({ type: "segments", itemId, segments });
  }

  function stop(
    itemId: string,
    { file, text }: Recording,
    state: "waiting" | "cancelled",
  ): Promise<Item> {
    open.delete(itemId);
    return underWay(itemId, async () => {
      await text.close();
      return finish(itemId, file, state);
    });
  }

  function underWay(itemId: string, work: () => Promise<Item>): Promise<Item> {
    const ended = writes.labelled(itemId, work).finally(() => ending.delete(itemId));
    ending.set(itemId, ended);
    // Those who wait for it are told; nobody may be.
    ended.catch(() => {});
    return ended;
  }

  /** Where the disk takes nothing, what is missing is written once it does. @param file optional; default opened again */
  async function finish(
    itemId: string,
    file: RecordingFile | undefined,
    state: "waiting" | "cancelled",
  ): Promise<Item> {
    let left = file;
    const samples = await writes.run(async () => {
      const ended = left ?? (await openRecordingFile(pathOf(itemId)));
      left = undefined;
      await ended.end();
      return ended.samples();
    });
    const durationSec = samples / sampleRateHz;
    await writes.run(() => items.measure(itemId));
    if (durationSec < minSec)
      return writes.run(() =>
        items.change(itemId, {
          state: "failed",
          durationSec,
          error: "Nothing was recorded. Check that the microphone is on, and record again.",
        }),
      );
    return writes.run(() => items.change(itemId, { state, durationSec }));
  }

  function hearEnded({ id, state }: Item): void {
    if (state === "waiting") onEnd(id);
  }

  async function endAndHear(itemId: string): Promise<void> {
    const recording = open.get(itemId);
    const others = ending.get(itemId);
    if (others !== undefined) return void (await writes.orTrouble(itemId, others));
    if (recording === undefined && items.read(itemId).state !== "recording") return;
    // Where its end failed before, it is ended now.
    const ended =
      recording === undefined
        ? underWay(itemId, () => finish(itemId, undefined, "waiting"))
        : stop(itemId, recording, "waiting");
    await writes.orTrouble(itemId, ended.then(hearEnded));
  }

  /** A page that was closed ends nothing: what it recorded is heard all the same. */
  async function endForsaken(): Promise<void> {
    const quietMs = events.isHeard() ? pausedMs : forsakenMs;
    for (const [itemId, { soundMs }] of open) {
      if (now() - soundMs < quietMs) continue;
      deps.log.info({ itemId }, "a recording that nobody goes on with is ended");
      await endAndHear(itemId).catch((error: unknown) =>
        deps.log.warn({ itemId, err: error }, "a recording could not be ended"),
      );
    }
  }

  const looking = setInterval(
    () =>
      void endForsaken().catch((error: unknown) =>
        deps.log.warn({ err: error }, "recordings could not be looked at"),
      ),
    lookEveryMs,
  );
  looking.unref();

  return {
    async begin(title, options) {
      let file: RecordingFile | undefined;
      const item = await items
        .createFilled(
          {
            kind: "transcript",
            title: title ?? new Date().toLocaleString("sv-SE").slice(0, 16),
            source: "recording",
            state: "recording",
          },
          async (folder) => {
            file = await openRecordingFile(join(folder, "source.wav"));
          },
          (id) =>
            documents.save(id, {
              durationSec: 0,
              language: options.language ?? "",
              options,
              failed: [],
            }),
        )
        .catch(async (error: unknown) => {
          // Its folder is gone: this closes it.
          await file?.end().catch(() => {});
          throw error;
        });
      if (file === undefined) throw new Error("a recording was begun without a file");
      open.set(item.id, {
        file,
        soundMs: now(),
        text: createLiveText(deps, {
          recordingPath: file.path,
          options,
          onHeard: (segments) => onHeard(item.id, segments),
          onAsked: (channel) => writes.later(() => items.givenTo(item.id, channel)),
        }),
      });
      return item;
    },
    async append(itemId, from, bytes) {
      items.read(itemId);
      const recording = open.get(itemId);
      if (recording === undefined)
        throw new AppError("conflict", "This recording has ended. Begin a new one.", {
          param: "id",
        });
      const samples = await recording.file.append(from, bytes);
      recording.soundMs = now();
      recording.text.grew(samples);
      return samples;
    },
    async end(itemId) {
      await endAndHear(itemId);
      return items.read(itemId);
    },
    async abandon(itemId) {
      const recording = open.get(itemId);
      // Whoever else ends it has it heard: that is not for this to undo.
      const ended =
        recording === undefined ? ending.get(itemId) : stop(itemId, recording, "cancelled");
      if (ended !== undefined) await writes.orTrouble(itemId, ended);
    },
    async recover() {
      const left = items
        .list({ kind: "transcript", state: "recording" })
        .filter(({ id }) => !open.has(id));
      const found = left.map(async ({ id }): Promise<string[]> => {
        const ended = underWay(id, () => finish(id, undefined, "waiting"));
        try {
          return (await writes.orTrouble(id, ended)).state === "waiting" ? [id] : [];
        } catch (error) {
          // A person can end it too, and is told why where that fails.
          deps.log.warn({ itemId: id, err: error }, "a recording could not be ended yet");
          ended.then(hearEnded).catch(() => {});
          return [];
        }
      });
      return (await Promise.all(found)).flat();
    },
    async close() {
      clearInterval(looking);
      // The items stay as they are, to be found at the next start.
      const left = [...open.values()];
      open.clear();
      const closing = left.map(async ({ file, text }) => {
        await text.close();
        await file.end();
      });
      for (const outcome of await Promise.allSettled([...closing, ...ending.values()])) {
        if (outcome.status === "rejected")
          deps.log.warn({ err: outcome.reason as unknown }, "a recording could not be ended");
      }
    },
  };
}
