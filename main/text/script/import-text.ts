// Texts that people bring, as scripts: plain text as it is, Markdown without what is only for the eye, subtitles
// joined into paragraphs. Books are import-book.ts's matter. Pure.

import { decodeEntities } from './import-xhtml.ts';

export type ImportedScript = { title: string; author: string; script: string };

/** UTF-8, UTF-16 with its mark, else Windows-1252, in which every byte is a character. */
export function decodeText(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export const scriptOfText = (text: string): string => text.replace(/\r\n?/g, '\n').trim();

const scene = '* * *';

/** Headings stay; `title` and `author` come from the front matter, else the title from the first heading. */
export function scriptOfMarkdown(markdown: string): ImportedScript {
  const { fields, body } = frontMatter(scriptOfText(markdown));
  const script = body
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^[ \t]*(?:```|~~~).*$/gm, '')
    .replace(/^([^\n]*\S[^\n]*)\n=+[ \t]*$/gm, '# $1')
    .replace(/^([^\n#>|-][^\n]*)\n-{2,}[ \t]*$/gm, '## $1')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, `\n${scene}\n`)
    .replace(/^[ \t]*\[[^\]\n]+\]:[ \t]*\S.*$/gm, '')
    .split('\n')
    .map(plainLine)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { title: fields.get('title') ?? /^#{1,6} (.+)$/m.exec(script)?.[1] ?? '', author: fields.get('author') ?? '', script };
}

function plainLine(line: string): string {
  if (line === scene) return line;
  const bare = line.replace(/^[ \t]*(?:>[ \t]?)+/, '');
  // A table's rule.
  if (/^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$/.test(bare)) return '';
  const item = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)/.exec(bare)?.[0];
  const text = bare
    .slice(item?.length ?? 0)
    .replace(/!\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    // Phonemes hold letters beyond ASCII or nothing but letters; a path has dots, dashes or more slashes.
    .replace(/\[([^\]\n]+)\]\((?!\/[^\s/.()-]+\/\))[^)\n]*\)/g, '$1')
    .replace(/\[([^\]\n]+)\]\[[^\]\n]*\]/g, '$1')
    .replace(/\[\^[^\]\n]+\]/g, '')
    .replace(/<\/?[a-z][^>\n]*>/gi, '')
    .replace(/`+([^`\n]*)`+/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu, '$1')
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/\\([\\`*_{}[\]()#+.!|~>-])/g, '$1');
  const cells = /^[ \t]*\|.*\|[ \t]*$/.test(text) ? `${text.split('|').map((cell) => cell.trim()).filter(Boolean).join(', ')}.` : text;
  // Each item is a paragraph of its own.
  return item === undefined ? cells : `\n${cells}`;
}

function frontMatter(text: string): { fields: ReadonlyMap<string, string>; body: string } {
  const found = /^---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$)/.exec(text);
  const fields = new Map((found?.[1] ?? '').split('\n').flatMap((line) => {
    const [, name, double, single, bare] = /^(title|author)[ \t]*:[ \t]*(?:"(.*)"|'(.*)'|(.*?))[ \t]*$/i.exec(line) ?? [];
    const value = double ?? single ?? bare;
    return name === undefined || value === undefined || value === '' ? [] : [[name.toLowerCase(), value] as const];
  }));
  return { fields, body: text.slice(found?.[0].length ?? 0) };
}

/** Silence between two cues that ends a paragraph. */
const paragraphGapSec = 2;
const cueTimes = /^[ \t]*(?:(\d+):)?(\d{1,2}):(\d{2})[,.](\d{1,3})[ \t]*-->[ \t]*(?:(\d+):)?(\d{1,2}):(\d{2})[,.](\d{1,3})/;

/** Of SubRip or WebVTT: the texts of the cues, one after the other. */
export function scriptOfSubtitles(subtitles: string): string {
  let script = '';
  let endedSec = 0;
  for (const block of scriptOfText(subtitles).split(/\n[ \t]*\n/)) {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => cueTimes.test(line));
    const [startSec, endSec] = secondsOf(lines[at] ?? '');
    if (startSec === undefined || endSec === undefined) continue;
    const text = lines.slice(at + 1).map(cueLine).filter(Boolean).join(' ');
    if (text === '') continue;
    const isNew = startSec - endedSec > paragraphGapSec && /[.!?…]["'”’)]*$/.test(script);
    script += script === '' ? text : `${isNew ? '\n\n' : ' '}${text}`;
    endedSec = endSec;
  }
  return script;
}

/** Without tags, without where it stands, without the dash of a speaker. */
const cueLine = (line: string): string => decodeEntities(line.replace(/<[^>\n]*>|\{\\[^}\n]*\}/g, '')).replace(/^[ \t]*[-–—][ \t]+/, '').trim();

function secondsOf(line: string): (number | undefined)[] {
  const [, ...parts] = cueTimes.exec(line) ?? [];
  if (parts.length === 0) return [];
  return [parts.slice(0, 4), parts.slice(4)].map(([hours = '0', minutes = '0', seconds = '0', rest = '0']) => Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(rest.padEnd(3, '0')) / 1000);
}
