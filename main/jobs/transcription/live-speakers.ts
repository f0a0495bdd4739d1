// Who speaks in a recording that is still running: provisional labels of what is transcribed so far, which settle as
// more is recorded. They are announced, not stored: when the recording has ended, its speakers are found as those of a
// file are.

import type { FollowSpeakers, KnownVoice, SpeakerCount } from "../../contract/speakers.ts";
import type { Documents } from "../../library/documents.ts";
import type { Log } from "../../log.ts";
import type { AppEvents } from "../events.ts";
import { labelWholeSegments } from "./document-speakers.ts";
import { headerBytes, sampleRateHz } from "./recording-file.ts";

export type LiveSpeakers = {
  /** `samples`: number of samples on disk. */
  onSamplesWritten(samples: number): void;
  /** Aborts the current work. */
  close(): Promise<void>;
};

export type LiveSpeakersDeps = {
  followSpeakers: FollowSpeakers;
  /** Of people who are remembered. */
  voices(): readonly KnownVoice[];
  documents: Pick<Documents, "read">;
  events: Pick<AppEvents, "publish">;
  log: Log;
};

/** Of new audio between two labellings. */
const minNewSec = 10;
/** Clustering the speakers of all windows takes longer in a long recording, so it is done less often there. */
const minNewShare = 0.05;

export function createLiveSpeakers(
  { followSpeakers, voices, documents, events, log }: LiveSpeakersDeps,
  { itemId, path, count }: { itemId: string; path: string; count: SpeakerCount },
): LiveSpeakers {
  const stop = new AbortController();
  let findSpeakersUntil: ReturnType<FollowSpeakers> | undefined;
  let labelledSec = 0;
  let labelling: Promise<void> | undefined;

  async function label(durationSec: number): Promise<void> {
    // Not before: where speakers cannot be told apart, the recording has to go on.
    findSpeakersUntil ??= followSpeakers({ path, headerBytes }, count, stop.signal);
    const speakers = await findSpeakersUntil(durationSec);
    labelledSec = durationSec;
    // All of them: a window that was opened meanwhile knows none.
    const segments = labelWholeSegments(documents.read(itemId), speakers, voices()).filter(
      ({ endSec }) => endSec <= durationSec,
    );
    if (segments.length > 0) events.publish({ type: "segments", itemId, segments });
  }

  return {
    onSamplesWritten(samples) {
      const durationSec = samples / sampleRateHz;
      const newSec = durationSec - labelledSec;
      if (newSec < Math.max(minNewSec, durationSec * minNewShare)) return;
      if (labelling !== undefined || stop.signal.aborted) return;
      labelling = label(durationSec)
        .catch((error: unknown) => {
          if (!stop.signal.aborted)
            log.warn({ itemId, err: error }, "speakers of a recording could not be told apart yet");
          stop.abort();
        })
        .finally(() => (labelling = undefined));
    },
    async close() {
      stop.abort();
      await labelling;
    },
  };
}
