// What a narration's script may contain besides its text: names of speakers and pauses in brackets, headings.

/** Whose text follows, at the start of a line. Ordinary text unless the name is known. */
export const speakerMarkPattern = /^[ \t]*\[([^[\]\r\n]{1,100})\](?!\()[ \t]*/;

/** The same anywhere in a line, as roles of the cast may be named. */
export const innerSpeakerMarkPattern = /\[([^[\]\r\n]{1,100})\](?!\()[ \t]*/g;

export const headingMarkPattern = /^[ \t]*(#{1,6})[ \t]+(?=\S)/;

export const pauseMarkPattern =
  /\[pause(?:[ \t]+(\d{1,4}(?:[.,]\d{1,3})?)[ \t]*(ms|s|sec|seconds?)?)?\]/giu;

/** @param amount and `unit` as in a match of `pauseMarkPattern` */
export const pauseMarkSec = (amount = "1", unit = "s"): number =>
  Number(amount.replace(",", ".")) / (unit.toLowerCase() === "ms" ? 1000 : 1);
