// Drafts: speech that goes on is transcribed again and again as it grows, one pass at a time, and once more when it has
// ended but is not settled yet. A machine that is busy with other work makes fewer passes.

import { randomUUID } from "node:crypto";
import type { OpenSpeech } from "../../../audio/dsp/vad-segmenter.ts";
import type { DecodedText, SpeechSpan } from "../../../contract/speech.ts";
import type { Draft, LiveRecognizer } from "./live-recognizer.ts";
import type { PassPacing } from "./pass-pacing.ts";
import { createWordAgreement, type WordAgreement } from "./word-agreement.ts";

export type DraftsOptions = {
  recognizer: Pick<LiveRecognizer, "draft">;
  readSec(fromSec: number, toSec: number): Promise<Uint8Array>;
  onDraft(draft: Draft): void;
  /** There are no more drafts. */
  onFailure(error: unknown): void;
  pacing: PassPacing;
  signal: AbortSignal;
};

export type Drafts = {
  /** Speech as it is now, after `processedSec`. @param isLate more audio waits: there is no time for a draft */
  follow(openSpeech: OpenSpeech | undefined, processedSec: number, isLate: boolean): void;
  /** Speech that has ended, and will be settled with what follows. */
  endSpeech(span: SpeechSpan): void;
  /** It needs no draft any more. */
  drop(span: SpeechSpan): void;
  /** Up to this duration, the model transcribes neighboring speech together; undefined: it does not. */
  joinMaxSec(): number | undefined;
  /** Resolves when no pass runs. */
  idle(): Promise<void>;
};

/** In less speech than this, models write words that were not said. Streaming ones do not. */
const minDraftSec = 0.8;
/** Silence after the voice that a draft gets. */
const draftTailSec = 0.3;

type Utterance = {
  /** Of passes over the same samples and more. */
  id: string;
  fromSec: number;
  startSec: number;
  draftedUntilSec: number;
  agreement: WordAgreement;
  /** Of the latest pass. */
  decoded: DecodedText | undefined;
};
type Pass = { utterance: Utterance; fromSec: number; toSec: number; ends: boolean };

export function createDrafts({
  recognizer,
  readSec,
  onDraft,
  onFailure,
  pacing,
  signal,
}: DraftsOptions): Drafts {
  /** Speech that goes on. */
  let utterance: Utterance | undefined;
  /** Speech that has ended, without its last pass. */
  let ended: { span: SpeechSpan; utterance: Utterance }[] = [];
  let drafting: Promise<void> | undefined;
  let hasDrafts = true;
  let joinMaxSec: number | undefined;
  /** Of the model of the latest draft. */
  let minSec = minDraftSec;

  function start(pass: Pass): void {
    drafting = makeDraft(pass)
      .catch((error: unknown) => {
        hasDrafts = false;
        if (!signal.aborted) onFailure(error);
      })
      .finally(() => {
        drafting = undefined;
        if (!signal.aborted) endNext();
      });
  }

  async function makeDraft({ utterance: of, fromSec, toSec, ends }: Pass): Promise<void> {
    of.draftedUntilSec = toSec;
    if (of.fromSec !== fromSec) Object.assign(of, { id: randomUUID(), fromSec });
    const endPass = pacing.startPass();
    const draft = await recognizer.draft(await readSec(fromSec, toSec), signal, {
      utterance: { id: of.id, isOver: ends },
      ...(of.decoded === undefined ? {} : { earlier: of.decoded }),
    });
    endPass();
    of.decoded = draft?.decoded;
    if (draft === undefined) hasDrafts = false;
    joinMaxSec = draft?.batchMaxSec;
    minSec = draft?.isStreaming === true ? 0 : minDraftSec;
    const isWaiting = ended.some((each) => each.utterance === of);
    if (ends) ended = ended.filter((each) => each.utterance !== of);
    // Otherwise it was settled meanwhile.
    if (draft === undefined || signal.aborted || !(isWaiting || utterance === of)) return;
    const text = ends
      ? of.agreement.finish(draft.text)
      : of.agreement.update({ ...draft, audioSec: toSec - fromSec });
    onDraft({ startSec: of.startSec, ...text });
  }

  function endNext(): void {
    const [next] = ended;
    if (next === undefined || drafting !== undefined || !hasDrafts) return;
    const { fromSec, toSec } = next.span;
    start({ utterance: next.utterance, fromSec, toSec, ends: true });
  }

  return {
    follow(openSpeech, processedSec, isLate) {
      if (openSpeech === undefined) utterance = undefined;
      else if (utterance?.startSec !== openSpeech.startSec)
        utterance = {
          id: randomUUID(),
          fromSec: openSpeech.fromSec,
          startSec: openSpeech.startSec,
          draftedUntilSec: openSpeech.startSec + minSec,
          agreement: createWordAgreement(),
          decoded: undefined,
        };
      if (utterance === undefined || openSpeech === undefined || !hasDrafts) return;
      const { fromSec, voicedUntilSec } = openSpeech;
      if (drafting !== undefined || isLate || voicedUntilSec <= utterance.draftedUntilSec) return;
      if (!pacing.isDue()) return;
      const toSec = Math.min(processedSec, voicedUntilSec + draftTailSec);
      start({ utterance, fromSec, toSec, ends: false });
    },
    endSpeech(span) {
      if (utterance?.startSec !== span.startSec) return;
      ended.push({ span, utterance });
      endNext();
    },
    drop(span) {
      ended = ended.filter((each) => each.span !== span);
    },
    joinMaxSec: () => joinMaxSec,
    idle: async () => drafting,
  };
}
