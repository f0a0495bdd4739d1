// Abbreviations and first words of sentences, by language: what decides whether a full stop ends a sentence.

import { abbreviations as frenchAbbreviations } from "./french/abbreviations.ts";
import { abbreviations as italianAbbreviations } from "./italian/abbreviations.ts";
import type { Abbreviations } from "./normalization/abbreviations.ts";
import { abbreviations as portugueseAbbreviations } from "./portuguese/abbreviations.ts";
import { abbreviations as spanishAbbreviations } from "./spanish/abbreviations.ts";

export type BoundaryWords = {
  /** A name or a number follows these, so the sentence continues. */
  readonly neverFinal: ReadonlySet<string>;
  /** These may end a sentence; the next word decides. */
  readonly maybeFinal: ReadonlySet<string>;
  readonly starters: ReadonlySet<string>;
};

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const english: BoundaryWords = {
  neverFinal: toSet(
    "mr mrs ms mx dr prof rev hon fr sr sra gen col lt capt cmdr sgt maj adm gov sen rep pres supt insp " +
      "st mt ft vs viz cf e.g i.e eg ie approx ca no nos vol vols ch chap sec fig figs art pp ed eds est " +
      "messrs mme mlle al",
  ),
  maybeFinal: toSet(
    "etc inc ltd corp co bros jr esq ph.d m.d b.a m.a a.m p.m am pm u.s u.k u.n u.s.a e.u d.c l.a n.y b.c a.d " +
      "ave blvd rd hwy dept univ assn jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed " +
      "thu thur thurs " +
      "fri sat sun ft in oz lb lbs min hr hrs mi km kg cm mm ml",
  ),
  starters: toSet(
    "the a an and but or so yet if when while as at in on by for from with without after before since because " +
      "although i you he she it we they this that these those there here his her its my your our their who what " +
      "where why how which " +
      "is are was were do does did has have had can could will would should may might must let no not now " +
      "then thus " +
      "however moreover therefore meanwhile still also even perhaps maybe one two some many most all each " +
      "every both " +
      "another other such yes please thank thanks once until later today yesterday tomorrow according despite during",
  ),
};

const partsOf = (written: string): string[] =>
  written.endsWith(".")
    ? written
        .slice(0, -1)
        .toLowerCase()
        .split(/\. ?(?= |$)/)
    : [];

/** The parts of abbreviations as they are found before a full stop: "p. ej." as "p" and "ej". */
function toBoundaryWords(
  { anywhere, beforeNames, beforeNumbers }: Abbreviations,
  more: string,
  starters: string,
): BoundaryWords {
  const neverFinal = [...Object.keys(beforeNames), ...Object.keys(beforeNumbers)].flatMap(partsOf);
  const maybeFinal = Object.keys(anywhere).map(partsOf);
  return {
    neverFinal: new Set(
      [...neverFinal, ...maybeFinal.flatMap((parts) => parts.slice(0, -1))].map((word) =>
        word.trim(),
      ),
    ),
    maybeFinal: new Set([
      ...maybeFinal.map((parts) => (parts.at(-1) ?? "").trim()),
      ...more.split(" "),
    ]),
    starters: toSet(starters),
  };
}

const wordsByLanguage = new Map<string, BoundaryWords>([
  ["en", english],
  [
    "es",
    toBoundaryWords(
      spanishAbbreviations,
      "m ene feb mar abr may jun jul ago sep sept oct nov dic km kg cm",
      "el la los las lo un una unos unas y e o pero sin si cuando mientras como a al en por para de del desde con " +
        "después antes luego entonces porque aunque yo tú él ella nosotros ellos ellas usted ustedes este " +
        "esta esto ese esa " +
        "eso aquí allí hay es son era fue no ni ya también además hoy ayer mañana su sus mi mis tu tus " +
        "nuestro se le les me " +
        "te nos quien que qué cómo dónde cuándo todo todos todas cada otro otra",
    ),
  ],
  [
    "fr",
    toBoundaryWords(
      frenchAbbreviations,
      "janv févr avr juil sept oct nov déc km kg cm",
      "le la les l un une des et ou mais si quand lorsque pendant comme à au aux en dans par pour de du " +
        "depuis avec sans " +
        "après avant puis alors parce je j tu il elle on nous vous ils elles ce c cet cette ces ceci cela ça " +
        "ici là est sont " +
        "était fut ne pas aussi aujourd hier demain son sa ses mon ma mes ton notre votre leur qui que quel " +
        "quelle où tout " +
        "tous toutes chaque autre cependant",
    ),
  ],
  [
    "it",
    toBoundaryWords(
      italianAbbreviations,
      "gen feb mar apr mag giu lug ago set ott nov dic km kg cm",
      "il lo la i gli le l un uno una e o ma se quando mentre come a al alla in nel nella per di del della " +
        "da con senza " +
        "dopo prima poi allora perché io tu lui lei noi voi loro questo questa quello quella qui lì è sono " +
        "era fu non né " +
        "anche oggi ieri domani suo sua mio mia tuo nostro si ci chi che cosa dove tutto tutti ogni altro " +
        "però quindi",
    ),
  ],
  [
    "pt",
    toBoundaryWords(
      portugueseAbbreviations,
      "jan fev mar abr mai jun jul ago set out nov dez km kg cm",
      "o a os as um uma uns umas e ou mas se quando enquanto como ao à em no na nos nas por para de do da " +
        "desde com sem " +
        "depois antes então porque eu você ele ela nós eles elas este esta isto esse essa isso aqui ali há é " +
        "são era foi não " +
        "nem já também além hoje ontem amanhã seu sua meu minha nosso quem que onde tudo todos todas cada " +
        "outro outra porém",
    ),
  ],
]);

/** @param language a language tag; English where a language has no words of its own */
export function boundaryWords(language: string): BoundaryWords {
  return wordsByLanguage.get(language.split("-", 1)[0] ?? "") ?? english;
}
