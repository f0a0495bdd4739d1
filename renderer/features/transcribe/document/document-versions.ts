// The versions of one open transcript: the one that the app has, as far as known, this window's unsaved changes, and,
// if both changed, the app's other version until the user has chosen.

import type {
  DocumentChange,
  DocumentSegment,
  TranscriptDocument,
} from "../../../../main/contract/transcript-document.ts";
import {
  applyPatch,
  containsPatch,
  diffSegments,
  emptyPatch,
  isEmptyPatch,
  isSameSegment,
  joinPatches,
  type Patch,
} from "./segments.ts";

type Segments = readonly DocumentSegment[];

export type DocumentVersions = {
  /** The newest revision that was received. */
  revision(): number;
  /** The other version, during a conflict. */
  remote(): TranscriptDocument | undefined;
  hasUnsaved(): boolean;
  /** Records a change of this window. */
  change(patch: Patch): void;
  /** @returns whether it can be adopted: false if both it and this window have changed, which is a conflict */
  receive(document: TranscriptDocument): boolean;
  /**
   * Takes over the app's version; ends a conflict.
   * @param shown unchanged segments stay the same objects
   * @returns what to show: the version with the unsaved changes on top
   */
  adopt(document: TranscriptDocument, shown: Segments): Segments;
  /** Drops the unsaved changes. */
  discard(): void;
  /** The unsaved changes turn the other version into the local one. */
  rebase(remote: TranscriptDocument, local: Segments): void;
  /** What to send next. What the app may have already is sent again unchanged, so that `receive` recognizes it. */
  nextChange(): DocumentChange;
  accepted(revision: number): void;
  refused(): void;
  /**
   * Adds segments that the app transcribed. Of those that are known, only the speaker may have changed, which is
   * provisional until the work ends: a person's change counts more. @returns what is new
   */
  addTranscribed(segments: Segments, shown: Segments): Patch;
  /** Two versions if a change is being sent, which may or may not arrive; none in a conflict. */
  unsaved(): readonly DocumentChange[];
};

export function createDocumentVersions(): DocumentVersions {
  let stored: Segments = [];
  let revision = 0;
  let pending = emptyPatch;
  /** Being sent, or sent without a response; the app may have it or not. */
  let inFlight = emptyPatch;
  let remote: TranscriptDocument | undefined;

  const unsavedPatch = (): Patch => joinPatches(inFlight, pending);

  return {
    revision: () => remote?.revision ?? revision,
    remote: () => remote,
    hasUnsaved: () => !isEmptyPatch(unsavedPatch()),
    change: (patch) => void (pending = joinPatches(pending, patch)),
    receive(document) {
      const { segments } = document;
      const isOwnRevision = document.revision === revision + 1 && !isEmptyPatch(inFlight);
      if (containsPatch(segments, unsavedPatch())) [inFlight, pending] = [emptyPatch, emptyPatch];
      // A save whose response did not arrive.
      else if (isOwnRevision && containsPatch(segments, inFlight)) inFlight = emptyPatch;
      // A new revision may have the same segments: the app confirmed the name of a speaker.
      else if (document.revision !== revision && !isEmptyPatch(diffSegments(stored, segments))) {
        remote = document;
        return false;
      }
      return true;
    },
    adopt(document, shown) {
      const shownById = new Map(shown.map((segment) => [segment.id, segment]));
      stored = document.segments.map((segment) => {
        const same = shownById.get(segment.id);
        return same !== undefined && isSameSegment(same, segment) ? same : segment;
      });
      ({ revision } = document);
      remote = undefined;
      return applyPatch(stored, unsavedPatch());
    },
    discard: () => void ([inFlight, pending] = [emptyPatch, emptyPatch]),
    rebase(other, local) {
      [inFlight, pending] = [emptyPatch, diffSegments(other.segments, local)];
    },
    nextChange() {
      if (isEmptyPatch(inFlight)) [inFlight, pending] = [pending, emptyPatch];
      return toChange(revision, inFlight);
    },
    accepted(newRevision) {
      stored = applyPatch(stored, inFlight);
      inFlight = emptyPatch;
      revision = newRevision;
    },
    refused: () => void ([inFlight, pending] = [emptyPatch, unsavedPatch()]),
    addTranscribed(segments, shown) {
      const storedIds = new Set(stored.map(({ id }) => id));
      const shownById = new Map(shown.map((segment) => [segment.id, segment]));
      const changedIds = new Set(unsavedPatch().put.map(({ id }) => id));
      const fresh: Patch = {
        put: segments.flatMap((segment) => {
          const { id, speaker } = segment;
          const existing = shownById.get(id);
          if (existing === undefined) return storedIds.has(id) ? [] : [segment];
          return speaker === undefined || speaker === existing.speaker || changedIds.has(id)
            ? []
            : [{ ...existing, speaker }];
        }),
        remove: [],
      };
      stored = applyPatch(stored, fresh);
      if (remote !== undefined)
        remote = { ...remote, segments: [...applyPatch(remote.segments, fresh)] };
      return fresh;
    },
    unsaved() {
      if (remote !== undefined) return [];
      const changes = isEmptyPatch(inFlight)
        ? [toChange(revision, pending)]
        : [toChange(revision, unsavedPatch()), toChange(revision + 1, pending)];
      return changes.filter((change) => !isEmptyPatch(change));
    },
  };
}

const toChange = (revision: number, { put, remove }: Patch): DocumentChange => ({
  revision,
  put: [...put],
  remove: [...remove],
});
