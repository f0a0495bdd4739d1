// A child's end of the line to the app: under plain Node the IPC channel of a forked process, under Electron the
// port of a utility process. A child whose parent is gone ends by itself; Electron sees to that for its own.

export type ParentPort = { send(message: unknown): void; onMessage(listener: (message: unknown) => void): void };

/** As in a utility process of Electron: https://www.electronjs.org/docs/latest/api/parent-port */
type UtilityPort = { postMessage(message: unknown): void; on(event: 'message', listener: (event: { data: unknown }) => void): void };

/**
 * @param onOrphaned called where the app is gone, before this process ends
 * @throws Error where the process was not started by the app
 */
export function connectToParent(onOrphaned: () => void = () => {}): ParentPort {
  const { parentPort } = process as { parentPort?: UtilityPort };
  if (parentPort !== undefined) {
    return {
      send: parentPort.postMessage.bind(parentPort),
      onMessage: (listener) => parentPort.on('message', ({ data }) => listener(data)),
    };
  }
  if (process.send === undefined) throw new Error('child processes are started by Hearsay itself');
  // Ctrl-C reaches the whole group; the parent decides what ends when.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => {
    onOrphaned();
    process.exit(0);
  });
  return {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
  };
}
