// Reports decoding progress to the watchdog. Decoding is a long series of synchronous calls that blocks its thread, so
// the watchdog runs in another one.

let onBlockDecoded: () => void = () => {};

/** @param onBlock called synchronously after every decoded block, so it must be fast */
export function setDecodeListener(onBlock: () => void): void {
  onBlockDecoded = onBlock;
}

export const notifyBlockDecoded = (): void => onBlockDecoded();
