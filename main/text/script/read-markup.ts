// Reads HTML and XML, well-formed or not, as a flat sequence of tags and text in linear time. Runs and loads nothing.
// Uses only htmlparser2's tokenizer: its parser searches the open elements at every closing tag, which takes quadratic
// time for deep nesting. Pure.

import { Tokenizer } from "htmlparser2";

export type MarkupReader = {
  /** Element names are lower-case without namespace prefix, attribute names lower-case with prefix. */
  open(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): void;
  close(name: string): void;
  /** Entities are decoded. A text may arrive in several parts. */
  text(text: string): void;
};

/** Declarations of entities in a document type: for the tokenizer, its end would be text. */
const internalSubset = /^\s*(?:<\?xml[^>]*>\s*)?<!DOCTYPE[^[>]*\[[^\]]*\]\s*>/i;

export function readMarkup(source: string, { open, close, text }: MarkupReader): void {
  const markup = source.slice(internalSubset.exec(source)?.[0].length ?? 0);
  let name = "";
  let attributes = new Map<string, string>();
  let attributeName = "";
  let value = "";
  const emitOpen = (isSelfClosing: boolean): void => open(name, attributes, isSelfClosing);
  const tokenizer = new Tokenizer(
    { recognizeSelfClosing: true },
    {
      onopentagname(start, end) {
        name = localName(markup.slice(start, end));
        attributes = new Map();
      },
      onattribname(start, end) {
        attributeName = markup.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata: (start, end) => void (value += markup.slice(start, end)),
      onattribentity: (codePoint) => void (value += String.fromCodePoint(codePoint)),
      onattribend() {
        if (!attributes.has(attributeName)) attributes.set(attributeName, value);
      },
      onopentagend: () => emitOpen(false),
      onselfclosingtag: () => emitOpen(true),
      onclosetag: (start, end) => close(localName(markup.slice(start, end))),
      ontext: (start, end) => text(markup.slice(start, end)),
      ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, endOffset) => text(markup.slice(start, end - endOffset)),
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(markup);
  tokenizer.end();
}

const localName = (name: string): string => name.slice(name.lastIndexOf(":") + 1).toLowerCase();
