// How often the event loop turned while something was done: what holds it up does not let it turn.

/** Counts turns until it is stopped. */
export function countTurns(): { turns(): number; stop(): void } {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  return { turns: () => turns, stop: () => (isDone = true) };
}

/** @returns how many turns there were until it resolved */
export async function countTurnsDuring(work: () => Promise<unknown>): Promise<number> {
  const { turns, stop } = countTurns();
  try {
    await work();
  } finally {
    stop();
  }
  return turns();
}
