// The last requests of a page that goes away: they outlive it, and nobody hears their answers.

import { request } from './client.ts';

/** Browsers send 64 KiB at most on behalf of a page that is gone, all requests together. */
const mostBytes = 60_000;

export type Parting = { readonly path: string; readonly method: 'PUT' | 'PATCH'; readonly fields: object };

/** `list` tells what would be lost if the page went away now. Where that is too much to be sent, the person is asked first; `save` sends it meanwhile. */
export function sendWhenParting(list: () => readonly Parting[], save: () => void): void {
  addEventListener('beforeunload', (event) => {
    const bytes = list().reduce((sum, { fields }) => sum + new Blob([JSON.stringify(fields)]).size, 0);
    if (bytes > mostBytes) event.preventDefault();
    save();
  });
  addEventListener('pagehide', () => {
    for (const { path, method, fields } of list()) {
      void request(path, { method, body: JSON.stringify(fields), headers: { 'content-type': 'application/json' }, keepalive: true }).catch(() => undefined);
    }
  });
}
