// Sanitizes dictated text before another program gets it. A transcript is untrusted provider output: pasted into a
// terminal, a control character or line end can run a command, and invisible characters can disguise a text.

export type DictationTextOptions = {
  /** Keep line breaks within the text; otherwise they become spaces. */
  keepsLineBreaks: boolean;
};

/**
 * Terminal escape sequences, ECMA-48 sections 5.3 to 5.6, in 7-bit and 8-bit form: strings that end with ST or BEL
 * (OSC, DCS, APC, PM, SOS), CSI, and all others. String content has no control characters, so each scan ends at the
 * next one: linear time. Of an unterminated sequence only the introducer is removed; the rest is harmless text.
 */
const escapeSequences = new RegExp(
  [
    String.raw`(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** Every character that some program treats as a line end. */
const lineEnds = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;
const whitespaceRuns = /[ \t\n\v\f\r\x85\u2028\u2029]+/g;
const whitespaceControls = "\t\n\v\f\r\x85";

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const allInvisible = new RegExp(invisible, "gu");
/** Visible format characters: marks around Arabic, Syriac and Kaithi numbers. */
const visibleFormat = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

const joiners = "\u200c\u200d";
/** Letters and vowel signs of scripts in which a joiner selects the written form. */
const joinedScripts =
  "Arab Syrc Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt".split(" ");
const joinedLetter = new RegExp(
  `[${joinedScripts.map((script) => String.raw`\p{scx=${script}}`).join("")}]`,
  "u",
);
const zeroWidthJoiner = "\u200d";
/** Text style and emoji style. */
const variationSelectors = "\ufe0e\ufe0f";
const emojiBefore = /\p{Emoji}$/u;
const joinedEmojiBefore = /\p{Emoji}\p{Emoji_Modifier}?\ufe0f?$/u;
const emojiAfter = /^\p{Extended_Pictographic}/u;
/** Length of the longest sequence that these patterns match, in UTF-16 units. */
const maxEmojiUnits = 5;

/**
 * Removes everything that a program could interpret as more than text: control characters, escape sequences,
 * directional overrides and invisible characters. Line ends become spaces, or stay if the option says so; leading and
 * trailing ones are always removed, since they could run a command or send a message. Idempotent.
 */
export function sanitizeDictation(text: string, { keepsLineBreaks }: DictationTextOptions): string {
  return text
    .replaceAll(escapeSequences, "")
    .replaceAll(allInvisible, (character, index: number, fullText: string) =>
      whitespaceControls.includes(character) || isVisibleInContext(character, index, fullText)
        ? character
        : "",
    )
    .replaceAll(
      whitespaceRuns,
      (run) => (keepsLineBreaks && "\n".repeat(run.match(lineEnds)?.length ?? 0)) || " ",
    )
    .trim();
}

/** Whether a format character changes how the text around it is displayed. */
function isVisibleInContext(character: string, index: number, fullText: string): boolean {
  if (visibleFormat.test(character)) return true;
  const before = fullText.slice(Math.max(0, index - maxEmojiUnits), index);
  if (variationSelectors.includes(character)) return emojiBefore.test(before);
  if (!joiners.includes(character)) return false;
  const previous = Array.from(before).at(-1) ?? "";
  if (joinedLetter.test(previous) && !invisible.test(previous)) return true;
  return (
    character === zeroWidthJoiner &&
    joinedEmojiBefore.test(before) &&
    emojiAfter.test(fullText.slice(index + 1, index + 3))
  );
}
