// The clip of a trial: one's own file, what one says now, a recording of the library, or a sentence this machine speaks.

import { useRef } from 'react';
import { mediaUrl, voiceSampleUrl } from '../../api/raw.ts';
import { request } from '../../api/client.ts';
import { formatTime } from '../../messages/format.ts';
import { t } from '../../messages/messages.ts';
import { newestFirst, useItems } from '../../stores/items.ts';
import { localVoices } from '../../stores/voices.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { FileInput, mediaTypes } from '../../ui/file-input.tsx';
import { ClipRecorder } from './clip-recorder.tsx';

/** A file, the id of an item, or the sample sentence. */
export type Clip = { readonly from: 'sample' } | { readonly from: 'file'; readonly file: File } | { readonly from: 'item'; readonly id: string };

/** Longer ones would make a trial of a quarter of an hour. */
const longestSec = 900;
/** A list of thousands is none to choose from. */
const mostItems = 100;

export async function fetchClip(clip: Clip): Promise<{ blob: Blob; name: string; itemId?: string }> {
  if (clip.from === 'file') return { blob: clip.file, name: clip.file.name };
  const blob = await (await request(clip.from === 'item' ? mediaUrl(clip.id) : voiceSampleUrl(localVoices[0]))).blob();
  // The extension follows the type: a server may go by either.
  return { blob, name: `clip.${blob.type.includes('mpeg') ? 'mp3' : blob.type.includes('wav') ? 'wav' : (blob.type.split('/')[1]?.split(';')[0] ?? 'wav')}`, ...(clip.from === 'item' && { itemId: clip.id }) };
}

export function ClipField({ clip, onChange }: { clip: Clip; onChange: (clip: Clip) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const byId = useItems((state) => state.byId);
  const items = newestFirst(byId, 'transcript').filter(({ hasMedia, durationSec }) => hasMedia && durationSec <= longestSec).slice(0, mostItems);
  const value = clip.from === 'item' ? clip.id : clip.from;
  return (
    <div className="model-clip">
      <Select
        label={t('models.clip')}
        value={value}
        onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === 'sample' ? { from: 'sample' } : chosen === 'file' && clip.from === 'file' ? clip : { from: 'item', id: chosen })}
      >
        <option value="sample">{t('models.clip.sample')}</option>
        {clip.from === 'file' && <option value="file">{clip.file.name}</option>}
        {items.length > 0 && (
          <optgroup label={t('shell.page.library')}>
            {items.map(({ id, title, durationSec }) => (
              <option key={id} value={id}>
                {title} ({formatTime(durationSec)})
              </option>
            ))}
          </optgroup>
        )}
      </Select>
      <div className="model-actions">
        <Button onClick={() => picker.current?.click()}>{t('models.clip.file')}</Button>
        <ClipRecorder onClip={(file) => onChange({ from: 'file', file })} />
      </div>
      <FileInput ref={picker} accept={mediaTypes} onFiles={([file]) => onChange({ from: 'file', file })} />
    </div>
  );
}
