// Fills the audio schedule a few seconds ahead: loads the audio of takes, and requests sentences that are not
// generated.

import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import type { AudioSchedule, ScheduledSentence } from "./audio-schedule.ts";
import type { SentencePositions } from "./sentence-positions.ts";
import type { TakeAudioCache } from "./take-audio-cache.ts";
import { selectedTake } from "./timeline.ts";

const lookaheadSec = 6;
const prefetchCount = 3;

export type FillerDeps = {
  sentences(): readonly NarrationSentence[];
  /** Generates from the sentence at this index on. Rejects if generation cannot start. */
  requestGeneration(index: number): Promise<void>;
};

export function createScheduleFiller(
  deps: FillerDeps & {
    schedule: AudioSchedule;
    positions: SentencePositions;
    takeAudioCache: TakeAudioCache;
  },
  on: { isPlaying(): boolean; onEnd(): void; onFailure(): void },
) {
  const { schedule, positions, takeAudioCache } = deps;
  const loader = createTakeLoader(takeAudioCache, {
    onLoaded: () => void (on.isPlaying() && fill()),
    onFailure: on.onFailure,
  });
  let requestedId: string | undefined;

  /** Index of the sentence after the scheduled ones. */
  function nextIndex(): number {
    const last = schedule.last();
    if (last === undefined) return positions.indexOf(schedule.position());
    const index = positions.indexOf(last);
    return deps.sentences()[index]?.id === last.id ? index + 1 : index;
  }

  /** Schedules the audio that is loaded, up to the lookahead. */
  function fill(): void {
    schedule.dropPlayed();
    while ((schedule.endSec() ?? schedule.now()) <= schedule.now() + lookaheadSec)
      if (!scheduleNext()) return;
  }

  /** @returns false if the next sentence cannot be scheduled now */
  function scheduleNext(): boolean {
    const index = nextIndex();
    const sentence = deps.sentences()[index];
    if (sentence === undefined) {
      if ((schedule.endSec() ?? schedule.now()) <= schedule.now()) on.onEnd();
      return false;
    }
    const take = selectedTake(sentence);
    if (take === undefined) {
      requestOnce(index, sentence.id);
      return false;
    }
    const audio =
      take.durationSec > 0 ? takeAudioCache.getCached(take.id, schedule.rate()) : undefined;
    if (take.durationSec > 0 && audio === undefined) {
      loader.loadTakes(deps.sentences().slice(index, index + prefetchCount), schedule.rate());
      return false;
    }
    schedule.append(
      {
        id: sentence.id,
        index,
        takeId: take.id,
        startOffsetSec: schedule.last() === undefined ? schedule.position().offsetSec : 0,
        endOffsetSec: take.durationSec + sentence.pauseSec,
        gainDb: sentence.gainDb ?? 0,
      },
      audio,
    );
    return true;
  }

  /** Requests a sentence once, because generating it may take long. */
  function requestOnce(index: number, id: string): void {
    if (requestedId === id) return;
    requestedId = id;
    deps.requestGeneration(index).catch(on.onFailure);
  }

  /** Unschedules sentences that changed; the one that is playing goes on. */
  function dropOutdated(): void {
    schedule.dropOutdated((scheduled, previous) => {
      const index = positions.indexOf(scheduled);
      const hasMoved = previous !== undefined && positions.indexOf(previous) + 1 !== index;
      return hasMoved || !isScheduledAs(scheduled, deps.sentences()[index]);
    });
  }

  return {
    fill,
    dropOutdated,
    /** Before playback starts. @throws if generation cannot start */
    async requestFirst(index: number): Promise<void> {
      const sentence = deps.sentences()[index];
      if (sentence === undefined || selectedTake(sentence) !== undefined) return;
      requestedId = sentence.id;
      await deps.requestGeneration(index);
    },
    forgetRequest: (): void => void (requestedId = undefined),
    /** The next sentence is not generated yet, and nothing is audible. */
    isWaiting: (): boolean =>
      requestedId !== undefined && (schedule.endSec() ?? schedule.now()) <= schedule.now(),
  };
}

const isScheduledAs = (
  { id, takeId, gainDb }: ScheduledSentence,
  sentence: NarrationSentence | undefined,
): boolean =>
  sentence?.id === id && selectedTake(sentence)?.id === takeId && (sentence.gainDb ?? 0) === gainDb;

/** Loads each take only once: whatever is loaded calls `fill`, which may request the same takes again. */
function createTakeLoader(
  takeAudioCache: TakeAudioCache,
  { onLoaded, onFailure }: { onLoaded(): void; onFailure(): void },
) {
  const loading = new Set<string>();
  return {
    loadTakes(sentences: readonly NarrationSentence[], rate: number): void {
      for (const sentence of sentences) {
        const take = selectedTake(sentence);
        if (
          take === undefined ||
          take.durationSec === 0 ||
          loading.has(take.id) ||
          takeAudioCache.getCached(take.id, rate) !== undefined
        )
          continue;
        loading.add(take.id);
        takeAudioCache
          .load(take.id, rate)
          .finally(() => loading.delete(take.id))
          .then(onLoaded, onFailure);
      }
    },
  };
}
