// A narration as a file, or one for each chapter: format, loudness, subtitles, title, author and cover.

import { ImagePlus, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { narrationFormats, type NarrationExport } from '../../../main/contract/studio.ts';
import { call } from '../../api/client.ts';
import { makeNarrationFile, readCover } from '../../api/raw.ts';
import { saveBlob } from '../../bridge/bridge.ts';
import { formatTime } from '../../messages/format.ts';
import { t } from '../../messages/messages.ts';
import { live } from '../../stores/live.ts';
import { useTask } from '../../stores/task.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Progress } from '../../ui/progress.tsx';
import { useNarration, useScript } from './use-narration.ts';

type Form = { format: NarrationExport['format']; perChapter: boolean; normalise: boolean; subtitles: NarrationExport['subtitles'] };

/** As it was set last, for the next time the dialog opens. */
let lastForm: Form = { format: 'm4b', perChapter: false, normalise: true, subtitles: 'none' };
/** Containers that take a picture. */
const withCover: readonly NarrationExport['format'][] = ['mp3', 'm4b', 'flac'];
const mostCoverBytes = 11_000_000;

export function ExportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title={t('narrate.export.title')} isOpen={isOpen} onClose={onClose} isWide>
      <ExportForm onClose={onClose} />
    </Dialog>
  );
}

function ExportForm({ onClose }: { onClose: () => void }) {
  const { item, open } = useNarration();
  const chapters = useScript((state) => state.sentences.filter(({ chapter }) => chapter !== undefined).length);
  const [form, setForm] = useState(lastForm);
  const [title, setTitle] = useState(item.title);
  const [author, setAuthor] = useState('');
  const [cover, setCover] = useState<Cover>();
  const [coverError, setCoverError] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const task = useTask();
  const takenSec = useSeconds(task.isBusy);
  const part = useFileProgress(item.id, task.isBusy);
  const change = (patch: Partial<Form>): void => {
    lastForm = { ...form, ...patch };
    setForm(lastForm);
  };
  const takesCover = withCover.includes(form.format);

  // What came with the book, where it was one, or was given last.
  useEffect(() => {
    const abort = new AbortController();
    const fill = async (): Promise<void> => {
      const { author: writer, cover: brought } = await bookDetails(item.id, abort.signal);
      setAuthor((now) => now || writer);
      if (brought !== undefined) setCover((now) => now ?? brought);
    };
    // Without it the form is filled by hand.
    fill().catch(() => undefined);
    return () => abort.abort();
  }, [item.id]);

  async function pick(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    if (!['image/jpeg', 'image/png'].includes(file.type)) return setCoverError(t('narrate.export.cover.kind'));
    if (file.size > mostCoverBytes) return setCoverError(t('narrate.export.cover.size'));
    const address = await dataUrl(file);
    setCoverError(undefined);
    setCover(coverOf(address, file.name));
  }

  async function save(): Promise<void> {
    const isDone = await task.run(async (signal) => {
      await open.store.save();
      const { saving, message } = open.store.getState();
      // The file would be of another script than the one that is shown.
      if (saving === 'retrying' || saving === 'stuck') throw new Error(message);
      const options: NarrationExport = {
        ...form,
        perChapter: form.perChapter && chapters > 1,
        ...(title.trim() !== '' && { title: title.trim() }),
        // Kept for the next time, also where it is none.
        author: author.trim(),
        ...(cover !== undefined && takesCover && { cover: cover.base64 }),
      };
      const { blob, name } = await makeNarrationFile(item.id, options, signal);
      saveBlob(blob, name);
    });
    if (isDone) onClose();
  }

  return (
    <>
      <div className="export-form">
        <Select label={t('narrate.export.format')} value={form.format} onChange={(event) => change({ format: event.currentTarget.value as Form['format'] })}>
          {narrationFormats.map((format) => (
            <option key={format} value={format}>
              {t(`narrate.export.format.${format}`)}
            </option>
          ))}
        </Select>
        <Select label={t('narrate.export.subtitles')} value={form.subtitles} onChange={(event) => change({ subtitles: event.currentTarget.value as Form['subtitles'] })}>
          {(['none', 'srt', 'vtt'] as const).map((kind) => (
            <option key={kind} value={kind}>
              {t(`narrate.export.subtitles.${kind}`)}
            </option>
          ))}
        </Select>
        <TextField label={t('narrate.title')} maxLength={200} value={title} onChange={(event) => setTitle(event.currentTarget.value)} />
        <TextField label={t('narrate.export.author')} maxLength={200} value={author} onChange={(event) => setAuthor(event.currentTarget.value)} />
        <div className="export-wide">
          <Checkbox label={t('narrate.export.normalise')} help={t('narrate.export.normalise.help')} checked={form.normalise} onChange={(event) => change({ normalise: event.currentTarget.checked })} />
          {chapters > 1 && <Checkbox label={t('narrate.export.per-chapter', { count: chapters })} checked={form.perChapter} onChange={(event) => change({ perChapter: event.currentTarget.checked })} />}
        </div>
        <div className="export-wide export-cover">
          {cover !== undefined && takesCover && <img src={cover.address} alt={cover.name} />}
          <Button isSmall icon={<ImagePlus aria-hidden />} disabledReason={takesCover ? undefined : t('narrate.export.cover.none')} onClick={() => picker.current?.click()}>
            {t('narrate.export.cover')}
          </Button>
          {cover !== undefined && takesCover && (
            <IconButton label={t('narrate.export.cover.remove')} isSmall onClick={() => setCover(undefined)}>
              <X aria-hidden />
            </IconButton>
          )}
          <input
            ref={picker}
            type="file"
            hidden
            aria-label={t('narrate.export.cover')}
            accept="image/jpeg,image/png"
            onChange={(event) => {
              void pick(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
          {coverError !== undefined && (
            <span className="field-error" role="alert">
              {coverError}
            </span>
          )}
        </div>
      </div>
      {task.isBusy && (
        <div className="narration-work">
          <Progress label={t('narrate.export.running')} part={part} />
          <span className="figures" role="status">
            {part === undefined ? t('narrate.export.taken', { time: formatTime(takenSec) }) : t('narrate.progress.percent', { percent: Math.floor(part * 100) })}
            {part !== undefined && part < 1 && takenSec >= leastPaceSec && ` · ${t('narrate.progress.left', { left: formatTime((takenSec / part) * (1 - part)) })}`}
          </span>
        </div>
      )}
      {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      <DialogActions>
        <Button onClick={task.isBusy ? task.cancel : onClose}>{t('shell.cancel')}</Button>
        <Button kind="primary" isBusy={task.isBusy} onClick={() => void save()}>
          {t('narrate.export.save')}
        </Button>
      </DialogActions>
    </>
  );
}

/** A pace from less is a guess. */
const leastPaceSec = 3;

/** Undefined until something is told. */
function useFileProgress(itemId: string, isRunning: boolean): number | undefined {
  const [part, setPart] = useState<number>();
  useEffect(() => {
    setPart(undefined);
    if (!isRunning) return undefined;
    return live().subscribe((event) => {
      if (event.type === 'narration-file' && event.itemId === itemId) setPart(event.progress);
    });
  }, [itemId, isRunning]);
  return part;
}

async function bookDetails(itemId: string, signal: AbortSignal): Promise<{ author: string; cover?: Cover }> {
  const { author, hasCover } = await call('readBookDetails', {}, itemId, signal);
  if (!hasCover) return { author };
  return { author, cover: coverOf(await dataUrl(await readCover(itemId, signal)), t('narrate.export.cover')) };
}

type Cover = { base64: string; address: string; name: string };
const coverOf = (address: string, name: string): Cover => ({ address, base64: address.slice(address.indexOf(',') + 1), name });

function useSeconds(isRunning: boolean): number {
  const [sec, setSec] = useState(0);
  useEffect(() => {
    setSec(0);
    if (!isRunning) return undefined;
    const timer = setInterval(() => setSec((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return sec;
}

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the picture could not be read')));
    reader.readAsDataURL(file);
  });
