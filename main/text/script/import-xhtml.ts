// A chapter of an electronic book as script: headings become `#` lines, other blocks paragraphs. XHTML is read as it
// comes, well formed or not: nothing of it is run, and what is no text is left out. Pure.

/** Their ends are ends of paragraphs. */
const blocks = new Set('address article aside blockquote body dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(' '));
/** Nobody wants them read out. */
const unread = new Set('head script style svg math audio video object template rt rp'.split(' '));
const empty = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

const token = /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<![^>]*>|<\?[\s\S]*?\?>|<(\/?)([a-z][\w:-]*)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)|</gi;

export function scriptOfXhtml(xhtml: string): string {
  const paragraphs: string[] = [];
  let text = '';
  let level = 0;
  /** Name of the element that is passed over, and how deep in elements of its name. */
  let skipped = '';
  let depth = 0;

  const end = (): void => {
    for (const line of text.split('\u2028')) {
      const plain = line.replace(/\s+/g, ' ').trim();
      // A heading's number and name are one heading.
      if (plain !== '') paragraphs.push(level > 0 ? `${'#'.repeat(level)} ${plain}` : plain);
    }
    text = '';
  };

  for (const [, data, closing, tag = '', attributes = '', selfClosing, words] of xhtml.matchAll(token)) {
    const name = tag.toLowerCase().replace(/^.*:/, '');
    if (skipped !== '') {
      if (name === skipped && selfClosing !== '/') depth += closing === '/' ? -1 : 1;
      if (depth === 0) skipped = '';
      continue;
    }
    if (tag === '') {
      text += data ?? decodeEntities(words ?? '');
      continue;
    }
    if (closing !== '/' && selfClosing !== '/' && !empty.has(name) && (unread.has(name) || isNoteMark(name, attributes))) {
      skipped = name;
      depth = 1;
      continue;
    }
    if (name === 'br') text += level > 0 ? ' ' : '\u2028';
    else if (name === 'td' || name === 'th') text += closing === '/' ? ', ' : '';
    else if (blocks.has(name)) {
      end();
      if (/^h[1-6]$/.test(name)) level = closing === '/' ? 0 : Number(name[1]);
      if (name === 'hr') paragraphs.push('* * *');
    }
  }
  end();
  return paragraphs.join('\n\n');
}

/** The small number that leads to a footnote, and page numbers. */
const isNoteMark = (name: string, attributes: string): boolean => /\b(?:epub:)?type\s*=\s*["'][^"']*\b(?:noteref|pagebreak)\b/i.test(attributes) || (name === 'a' && /\brole\s*=\s*["']doc-noteref["']/i.test(attributes));

const named: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '', ndash: '–', mdash: '—', hellip: '…', lsquo: '‘', rsquo: '’', sbquo: '‚',
  ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»', middot: '·', bull: '•', deg: '°', copy: '©', reg: '®', trade: '™', sect: '§', para: '¶', times: '×', frac12: '½', frac14: '¼', frac34: '¾', pound: '£', euro: '€', cent: '¢', yen: '¥',
  agrave: 'à', aacute: 'á', acirc: 'â', atilde: 'ã', auml: 'ä', aring: 'å', aelig: 'æ', ccedil: 'ç', egrave: 'è', eacute: 'é', ecirc: 'ê', euml: 'ë', igrave: 'ì', iacute: 'í', icirc: 'î', iuml: 'ï', ntilde: 'ñ',
  ograve: 'ò', oacute: 'ó', ocirc: 'ô', otilde: 'õ', ouml: 'ö', oslash: 'ø', oelig: 'œ', ugrave: 'ù', uacute: 'ú', ucirc: 'û', uuml: 'ü', yacute: 'ý', szlig: 'ß', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', Eacute: 'É', Aelig: 'Æ', Oslash: 'Ø',
};

export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
    const code = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '';
  });
}
