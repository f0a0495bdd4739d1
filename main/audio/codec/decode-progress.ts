// Tells a watchdog that decoding gets on. Decoding is a long chain of synchronous calls in one thread, in which nothing
// else of that thread runs: whoever watches it reads this from another one.

let onBlockDecoded: () => void = () => {};

/** @param onBlock called after every block, from within the decoding: it must be quick */
export function setDecodeListener(onBlock: () => void): void {
  onBlockDecoded = onBlock;
}

export const notifyBlockDecoded = (): void => onBlockDecoded();
