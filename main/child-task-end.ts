// The child's end of child-task.ts.

import { AppError, storageFailure } from './contract/errors.ts';
import { connectToParent } from './engines/pool/child-port.ts';

/** Does the one task that this process is for. */
export function serveTask<Task>(work: (task: Task, onProgress: (progress: unknown) => void) => unknown): void {
  const { send, onMessage } = connectToParent();
  onMessage((task) => {
    void (async () => {
      try {
        send({ type: 'done', value: await work(task as Task, (value) => send({ type: 'progress', value })) });
      } catch (error) {
        const known = error instanceof AppError ? error : storageFailure(error);
        send({ type: 'failed', message: known?.message ?? String((error as Error).message), ...(known === undefined ? {} : { key: known.key }) });
      }
    })();
  });
}
