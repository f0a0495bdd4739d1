// What a run does with one sentence: generates it if it has no take, generates another take, or checks its take. What
// was generated is written to the library first, retried while the disk rejects writes, also after a cancellation.

import type { SentenceTask } from "../../library/narration-work.ts";
import type { Narrations } from "../../library/narrations.ts";
import type { Take } from "../../contract/narration.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { chosenTake, type LoadedNarration } from "./loaded-narration.ts";
import type { SentenceAudio } from "./sentence-audio.ts";
import type { Sentence } from "./sentences.ts";

export type SentenceTasksDeps = {
  itemId: string;
  /** Returns the current state: the script may change during the run. */
  narration(): LoadedNarration;
  narrations: Narrations;
  sentenceAudio: SentenceAudio;
  /** See check-take.ts. */
  checkTake(take: Take, sentence: Sentence): Promise<{ missed: string[]; channel: string }>;
  writes: RetriedWrites;
};

/** @returns the channel that did it; empty if nothing was to be done */
export type RunSentenceTask = (sentence: Sentence, task: SentenceTask) => Promise<string>;

export function createSentenceTasks(
  { itemId, narration, narrations, sentenceAudio, checkTake, writes }: SentenceTasksDeps,
  signal: AbortSignal,
): RunSentenceTask {
  /** By content: sentences with equal content are generated once. */
  const generating = new Map<string, Promise<string>>();
  /** Last take number by content, so that equal sentences generated in parallel get different numbers. */
  const lastTakeNumbers = new Map<string, number>();

  async function saveTake({ id, content }: Sentence, take: Take): Promise<void> {
    const stored = { ...take, itemId, sentenceId: id, content };
    await writes.run(() => narrations.addTake(stored));
    const { takes } = narration();
    takes.set(content, [...(takes.get(content) ?? []), stored]);
  }

  async function saveNote(
    id: string,
    noteChange: { chosenTake?: string; missed?: string[] | undefined },
  ): Promise<void> {
    await writes.run(() => narrations.setNote(itemId, id, noteChange));
    const { notes } = narration();
    const { chosenTake: chosenTakeId, missed } = { ...notes.get(id), ...noteChange };
    notes.set(id, {
      ...(chosenTakeId === undefined ? {} : { chosenTake: chosenTakeId }),
      ...(missed === undefined ? {} : { missed }),
    });
  }

  async function synthesizeOrCopy(sentence: Sentence): Promise<string> {
    const existing = narrations.findTake(sentence.content);
    const take =
      (existing === undefined ? undefined : await sentenceAudio.copyTake(itemId, existing)) ??
      (await sentenceAudio.synthesize(itemId, sentence, narration().options, 0, signal));
    await saveTake(sentence, take);
    return take.channel;
  }

  async function generate(sentence: Sentence): Promise<string> {
    const { content } = sentence;
    for (let other = generating.get(content); other !== undefined; other = generating.get(content))
      await other.catch(() => {});
    if (chosenTake(narration(), sentence) !== undefined) return "";
    const generation = synthesizeOrCopy(sentence);
    generating.set(content, generation);
    return generation.finally(() => generating.delete(content));
  }

  async function generateAnotherTake(sentence: Sentence): Promise<string> {
    const { id, content } = sentence;
    const { takes, options } = narration();
    const takeNumber = Math.max(
      takes.get(content)?.length ?? 0,
      (lastTakeNumbers.get(content) ?? -1) + 1,
    );
    lastTakeNumbers.set(content, takeNumber);
    const take = await sentenceAudio.synthesize(itemId, sentence, options, takeNumber, signal);
    await saveTake(sentence, take);
    await saveNote(id, { chosenTake: take.id, missed: undefined });
    return take.channel;
  }

  async function check(sentence: Sentence): Promise<string> {
    const take = chosenTake(narration(), sentence);
    if (take === undefined) return "";
    const { missed, channel } = await checkTake(take, sentence);
    await saveNote(sentence.id, { missed });
    return channel;
  }

  const tasks = { generate, take: generateAnotherTake, check };
  return (sentence, task) => tasks[task](sentence);
}
