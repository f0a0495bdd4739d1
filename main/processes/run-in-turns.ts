/**
 * Runs work one after the other, in the order of the calls, also after work that failed.
 * @returns a function that resolves with the work's result, or fails with its error
 */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
