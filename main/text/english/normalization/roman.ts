// Roman numerals: an ordinal after a ruler's name, a number after "Chapter" and other names.

import { ordinalWords } from "../number-words.ts";
import {
  type NormalizationRule,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";

const numeralPattern =
  String.raw`(?=[IVXLC])(?:X[LC]|L?X{0,3})(?:I[VX]|V?I{0,3})` +
  String.raw`(?![\p{L}\p{N}&]|[-.][\p{L}\p{N}]|'(?!s\b))`;
const divisionPattern =
  "Chapter|Part|Book|Act|Scene|Volume|Section|Article|Appendix|Title|Phase|Type|Class|Level|Grade|Stage|Figure|" +
  "Table|Lesson|Unit|Canto|Psalm|Bowl|War|Episode|Season|Corps|Apollo|Amendment|Vatican|Mark|Vol\\.|Ch\\.|Sec\\.|" +
  "Art\\.|Pt\\.|No\\.|Chapters|Parts|Books|CHAPTER|PART|BOOK|ACT|SCENE|chapter|part|book|act|scene|volume|section|" +
  "article|phase|type|stage|level|grade";
const rulerPattern =
  "Henry|Louis|Charles|George|William|Edward|James|Richard|Elizabeth|John Paul|John|Pius|Benedict|Gregory|Leo|" +
  "Clement|Innocent|Urban|Paul|Sixtus|Alexander|Philip|Ferdinand|Frederick|Napoleon|Nicholas|Catherine|Ivan|Peter|" +
  "Otto|Ramses|Ramesses|Ptolemy|Gustav|Christian|Haakon|Harald|Olav|Alfonso|Mary|Wilhelm|Friedrich|Robert|David|" +
  "Albert|Leopold|Baldwin|Thutmose|Amenhotep|Darius|Xerxes|Cyrus|Mehmed|Murad|Selim|Sigismund|Stephen|Andrew|" +
  "Umberto|Emmanuel|Pedro|Juan|Carlos|Felipe|Margrethe|Isabella|Franz Josef|Joseph|Leopold|Maximilian|Celestine|" +
  "Boniface|Adrian|Julius|Constantine|Theodosius|Justinian|Valentinian|Artaxerxes|Antiochus|Seleucus|Mithridates|" +
  "Rama|Mohammed|Abdullah|Hassan|Hussein";

const rules: readonly NormalizationRule[] = [
  [
    new RegExp(String.raw`(?<=\b(?:${divisionPattern}) )(${numeralPattern})`, "gu"),
    (all) => String(romanValue(all)),
  ],
  [
    new RegExp(
      String.raw`(?<=\b(?:${rulerPattern}) )(?!I\b(?!\s*(?:[,.;:)]|of|was|is|and|in|to|$)))(${numeralPattern})`,
      "gu",
    ),
    (all) => `the ${ordinalWords(String(romanValue(all))).join("-")}`,
  ],
  // "SALT II", "Rocky III", "John Smith III": at least two letters, after a capitalised word.
  [
    new RegExp(
      String.raw`(?<=\p{Lu}[\p{L}]{1,30} )(?=I{2,3}|IV|V?I{1,3}|I?X|XI{1,3}|XIV|XVI{0,3})` +
        String.raw`(?!I(?![IVX]))(?![VX](?![IVX]))(${numeralPattern})`,
      "gu",
    ),
    (all) => String(romanValue(all)),
  ],
];

export function expandRomanNumerals(text: string): string {
  return applyNormalizationRules(text, rules);
}

function romanValue(written: string): number {
  const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
  const digits = [...written].map((letter) => values[letter] ?? 0);
  return digits.reduce(
    (sum, value, index) => (value < (digits[index + 1] ?? 0) ? sum - value : sum + value),
    0,
  );
}
