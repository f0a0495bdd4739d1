// A transcript as a web page of one file, which loads nothing but the recording. Words are played from where they are
// clicked, and the word that is played is marked. Pure.

import { hash } from "node:crypto";
import { separatorBefore } from "../contract/languages.ts";
import type { DocumentSegment } from "../contract/transcript-document.ts";
import { formatTime, toOneLine, toXmlText } from "./paragraph-heading.ts";
import type { LaidOutTranscript, TranscriptParagraph } from "./paragraphs.ts";

export function toHtml(transcript: LaidOutTranscript): string {
  const { title, language, hasTimes, paragraphs, soundUrl } = transcript;
  const body = paragraphs.map((paragraph) => paragraphHtml(paragraph, hasTimes)).join("\n");
  const languageTag = /^[a-z]{2,3}$/.test(language) ? ` lang="${language}"` : "";
  const policy = `default-src 'none'; style-src 'unsafe-inline'${
    soundUrl === undefined ? "" : `; script-src ${scriptSource}; media-src 'self' data: file: *`
  }`;
  return `<!doctype html>
<html${languageTag}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Hearsay">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1 dir="auto">${escapeHtml(title)}</h1>
${soundUrl === undefined ? "" : `<audio controls preload="metadata" src="${escapeHtml(soundUrl)}"></audio>\n`}<main>
${body}
</main>
${soundUrl === undefined ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
}

function paragraphHtml(
  { startSec, speaker, segments }: TranscriptParagraph,
  hasTime: boolean,
): string {
  const time = hasTime
    ? `<button type="button" data-at="${startSec.toFixed(3)}">${formatTime(startSec)}</button> `
    : "";
  const name = speaker === undefined ? "" : `<b dir="auto">${escapeHtml(toOneLine(speaker))}:</b> `;
  const text = segments
    .map(
      (segment, index) =>
        (index === 0 ? "" : separatorBefore(segment.language)) + segmentHtml(segment),
    )
    .join("");
  return `<p dir="auto">${time}${name}${text}</p>`;
}

/** A span for each word, or for all of the text if it is no longer made of the words. */
function segmentHtml({ startSec, text, words }: DocumentSegment): string {
  const spokenText = toOneLine(text);
  let at = 0;
  let html = "";
  for (const { word, startSec: wordSec } of words) {
    const wordText = toOneLine(word);
    const position = spokenText.indexOf(wordText, at);
    if (wordText === "" || position === -1) return wordHtml(startSec, spokenText);
    html += escapeHtml(spokenText.slice(at, position)) + wordHtml(wordSec, wordText);
    at = position + wordText.length;
  }
  return words.length === 0
    ? wordHtml(startSec, spokenText)
    : html + escapeHtml(spokenText.slice(at));
}

const wordHtml = (atSec: number, text: string): string =>
  `<span data-at="${atSec.toFixed(3)}">${escapeHtml(text)}</span>`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
export const escapeHtml = (text: string): string =>
  toXmlText(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

const style = `
:root { color-scheme: light dark; scroll-padding: 6rem 0 2rem; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem 4rem; font: 1.1rem/1.6 Georgia, serif; }
h1 { font-size: 1.6rem; line-height: 1.3; }
audio { position: sticky; top: 0.5rem; width: 100%; }
button { border: 0; padding: 0; background: none; color: GrayText; font: 0.85rem system-ui, sans-serif; }
audio ~ main [data-at] { cursor: pointer; border-radius: 0.2em; }
audio ~ main [data-at]:hover { text-decoration: underline; }
.now { background: Mark; color: MarkText; }
@media print { audio { display: none; } }
`;

/** Only while it plays, the page follows the word that is played. */
const script = `
const audio = document.querySelector("audio");
const words = [...document.querySelectorAll("span[data-at]")];
const times = words.map((word) => Number(word.dataset.at));
let current;
document.querySelector("main").addEventListener("click", ({ target }) => {
  const place = target.closest("[data-at]");
  if (place === null || String(getSelection()) !== "") return;
  audio.currentTime = Number(place.dataset.at);
  audio.play();
});
const mark = () => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= audio.currentTime + 0.01) low = middle + 1;
    else high = middle;
  }
  const next = words[low - 1];
  if (next === current) return;
  current?.classList.remove("now");
  next?.classList.add("now");
  current = next;
  if (!audio.paused) next?.scrollIntoView({ block: "nearest" });
};
audio.addEventListener("timeupdate", mark);
audio.addEventListener("seeked", mark);
const follow = () => {
  mark();
  if (!audio.paused) requestAnimationFrame(follow);
};
audio.addEventListener("play", follow);
`;

/** The only script that may run in the page, whatever its text contains. */
const scriptSource = `'sha256-${hash("sha256", script, "base64")}'`;
