// Counts iterations of the event loop during some work, to find out whether the work blocks it.

/** Counts iterations until `stop` is called. */
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

/** @returns the number of iterations until it resolved */
export async function countTurnsDuring(work: () => Promise<unknown>): Promise<number> {
  const { turns, stop } = countTurns();
  try {
    await work();
  } finally {
    stop();
  }
  return turns();
}
