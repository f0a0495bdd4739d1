// New narrations: an empty one, one of a text, one of each file that is brought.

import { call } from '../../../api/client.ts';
import { readScript } from '../../../api/raw.ts';
import { keepItem, pathOf } from '../../../stores/items.ts';
import { usePreferences } from '../../../stores/preferences.ts';
import { go } from '../../../stores/route.ts';

/** Made and opened. Throws ApiError. */
export async function beginNarration({ title = '', script = '' }: { title?: string; script?: string } = {}, signal?: AbortSignal): Promise<void> {
  const item = await call('createNarration', { title: title.slice(0, 300), script, options: usePreferences.getState().narrate }, '', signal);
  keepItem(item);
  go(pathOf(item));
}

/** Each file becomes a narration; the last one is open at the end. `onFile` hears which one is being read. Throws ApiError. */
export async function beginWithFiles(files: readonly File[], signal: AbortSignal, onFile: (name: string) => void): Promise<void> {
  for (const file of files) {
    onFile(file.name);
    const { title, script } = await readScript(file, signal);
    await beginNarration({ title, script }, signal);
  }
}
