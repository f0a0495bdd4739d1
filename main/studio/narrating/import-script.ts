// A file a person brings, as a script: what it is, its name and its first bytes tell. Electronic books are unpacked
// here; how texts become scripts is text/script's matter.

import { unzipSync } from 'fflate';
import { AppError } from '../../contract/errors.ts';
import { pictureKind } from '../../audio/picture.ts';
import { decodeText, type ImportedScript, scriptOfMarkdown, scriptOfSubtitles, scriptOfText } from '../../text/script/import-text.ts';
import { decodeEntities, scriptOfXhtml } from '../../text/script/import-xhtml.ts';

/** `cover` is JPEG or PNG, base64. */
export type BroughtScript = ImportedScript & { cover?: string };

/** As contract/studio-api.ts takes it. */
const mostCharacters = 5_000_000;
/** Unpacked: a small archive can unfold to anything. */
const mostBytes = 200 * 2 ** 20;

/** @throws AppError where it is no text that can be read */
export function importScript(name: string, bytes: Uint8Array): BroughtScript {
  const [, stem = '', ending = ''] = /^(.*?)(?:\.([^.]*))?$/s.exec(name) ?? [];
  const imported = read(ending.toLowerCase(), bytes);
  if (imported.script.length > mostCharacters) throw new AppError('string_too_long', `The text has ${imported.script.length} characters; a narration takes ${mostCharacters}. Divide it into volumes.`);
  if (!/[\p{L}\p{N}]/u.test(imported.script)) throw new AppError('nothing_to_say', 'The file has no text that could be read out.');
  return { ...imported, title: imported.title === '' ? stem : imported.title };
}

function read(ending: string, bytes: Uint8Array): BroughtScript {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return readEpub(bytes);
  if (!['txt', 'text', 'md', 'markdown', 'srt', 'vtt', ''].includes(ending)) throw new AppError('unsupported_format', 'This is none of the texts that can be read: .txt, .md, .srt, .vtt or .epub.', { param: 'name' });
  const text = decodeText(bytes);
  if (text.slice(0, 10_000).includes('\0')) throw new AppError('unsupported_format', 'The file is no text.', { param: 'name' });
  if (ending === 'md' || ending === 'markdown') return scriptOfMarkdown(text);
  const script = ending === 'srt' || ending === 'vtt' ? scriptOfSubtitles(text) : scriptOfText(text);
  return { title: '', author: '', script };
}

/** EPUB 2 and 3: container → package → spine, chapter by chapter in reading order. */
function readEpub(bytes: Uint8Array): BroughtScript {
  const files = unpack(bytes, (name) => /\.(?:xml|opf|ncx|x?html?)$/i.test(name));
  const textOf = (path: string): string | undefined => {
    const file = files.get(path);
    return file && decodeText(file);
  };
  if (files.has('META-INF/encryption.xml') && /xmlenc#(?:aes|kw)/i.test(textOf('META-INF/encryption.xml') ?? '')) throw new AppError('unsupported_format', 'The book is locked by its publisher (DRM): its text cannot be read.');
  const packagePath = attribute(elements(textOf('META-INF/container.xml') ?? '', 'rootfile')[0]?.attributes ?? '', 'full-path') ?? '';
  const opf = textOf(packagePath);
  if (opf === undefined) throw notABook();
  const base = packagePath.includes('/') ? packagePath.slice(0, packagePath.lastIndexOf('/') + 1) : '';
  const manifest = new Map(elements(opf, 'item').map(({ attributes }) => [attribute(attributes, 'id') ?? '', { path: resolved(base, attribute(attributes, 'href') ?? ''), properties: attribute(attributes, 'properties') ?? '' }]));
  const labels = labelsOf(files, manifest, elements(opf, 'spine')[0]?.attributes ?? '', textOf);
  const chapters: string[] = [];
  for (const { attributes } of elements(opf, 'itemref')) {
    const item = manifest.get(attribute(attributes, 'idref') ?? '');
    if (item === undefined || attribute(attributes, 'linear') === 'no' || /\bnav\b/.test(item.properties)) continue;
    const script = scriptOfXhtml(textOf(item.path) ?? '');
    const label = labels.get(item.path);
    if (script !== '') chapters.push(label === undefined || /^#{1,6} /m.test(script) ? script : `# ${label}\n\n${script}`);
  }
  const metadata = (name: string): string => plain(elements(opf, name)[0]?.content ?? '');
  const coverId = elements(opf, 'meta').map(({ attributes }) => (attribute(attributes, 'name') === 'cover' ? attribute(attributes, 'content') : undefined)).find((id) => id !== undefined);
  const coverPath = [...manifest.values()].find(({ properties }) => /\bcover-image\b/.test(properties))?.path ?? manifest.get(coverId ?? '')?.path;
  // Of its pictures that one alone: a book may have hundreds.
  const cover = coverPath === undefined ? undefined : unpack(bytes, (name) => name === coverPath).get(coverPath);
  return {
    title: metadata('title'),
    author: elements(opf, 'creator').map(({ content }) => plain(content)).join(', '),
    script: chapters.join('\n\n'),
    ...(cover === undefined || pictureKind(cover) === undefined ? {} : { cover: Buffer.from(cover).toString('base64') }),
  };
}

const notABook = (): AppError => new AppError('unsupported_format', 'The archive is no EPUB book, or a damaged one.');

function unpack(bytes: Uint8Array, isWanted: (name: string) => boolean): ReadonlyMap<string, Uint8Array> {
  let total = 0;
  try {
    const files = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false;
        total += originalSize;
        if (total > mostBytes) throw new AppError('file_too_large', 'The book unpacks to more than can be read.');
        return true;
      },
    });
    return new Map(Object.entries(files));
  } catch (error) {
    throw error instanceof AppError ? error : notABook();
  }
}

/** First heading of each file as the table of contents names it: for chapters that do not say it themselves. */
function labelsOf(files: ReadonlyMap<string, Uint8Array>, manifest: ReadonlyMap<string, { path: string; properties: string }>, spine: string, textOf: (path: string) => string | undefined): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  const ncx = manifest.get(attribute(spine, 'toc') ?? '')?.path ?? [...files.keys()].find((path) => path.endsWith('.ncx')) ?? '';
  const nav = [...manifest.values()].find(({ properties }) => /\bnav\b/.test(properties))?.path ?? '';
  const add = (from: string, href: string, label: string): void => {
    const path = resolved(from.slice(0, from.lastIndexOf('/') + 1), href);
    if (label !== '' && !labels.has(path)) labels.set(path, label);
  };
  for (const { attributes, content } of elements(textOf(nav) ?? '', 'a')) add(nav, attribute(attributes, 'href') ?? '', plain(content));
  for (const [, label = '', href = ''] of (textOf(ncx) ?? '').matchAll(/<(?:\w+:)?text>([^<]*)<\/(?:\w+:)?text>[\s\S]{0,500}?<(?:\w+:)?content\b[^>]*?\bsrc\s*=\s*["']([^"']*)["']/gi)) add(ncx, decodeEntities(href), plain(label));
  return labels;
}

/** Elements of a name, whatever their namespace's short name is; those of the same name inside one another are not told apart. */
function elements(xml: string, name: string): { attributes: string; content: string }[] {
  const pattern = new RegExp(`<(?:[\\w.-]+:)?${name}(?=[\\s/>])((?:[^>"']|"[^"]*"|'[^']*')*?)(?:/>|>([\\s\\S]*?)</(?:[\\w.-]+:)?${name}\\s*>)`, 'gi');
  return Array.from(xml.replace(/<!--[\s\S]*?-->/g, '').matchAll(pattern), ([, attributes = '', content = '']) => ({ attributes, content }));
}

function attribute(attributes: string, name: string): string | undefined {
  const [, double, single] = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(attributes) ?? [];
  const value = double ?? single;
  return value === undefined ? undefined : decodeEntities(value);
}

const plain = (xml: string): string => decodeEntities(xml.replace(/<[^>]*>/g, '')).replace(/\s+/g, ' ').trim();

/** A place in the archive, from an address relative to `base`, which ends with `/` or is empty. */
function resolved(base: string, href: string): string {
  try {
    return decodeURIComponent(new URL(href, `epub:///${base.split('/').map(encodeURIComponent).join('/')}`).pathname.slice(1));
  } catch {
    return '';
  }
}
