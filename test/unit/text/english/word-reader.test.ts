import { beforeAll, describe, expect, it } from "vitest";
import type { EnglishFrontEnd } from "../../../../main/text/english/front-end.ts";
import { createHibariFrontEnd } from "../../../support/hibari-g2p.ts";

let frontEnd: EnglishFrontEnd;
beforeAll(async () => {
  frontEnd = await createHibariFrontEnd();
});

it("names the words in no lexicon, not those that are built from others", () => {
  expect(frontEnd.unknownWords("Aoife unlocked Xanthippa's boats in 1990, at NASA.")).toEqual([
    "Xanthippa",
    "Aoife",
  ]);
});

const cases: Record<string, readonly (readonly [text: string, phonemes: string])[]> = {
  contractions: [
    ["I can't, they're, we've, y'all", "ˌI kˈænt, ðɛɹ, wiv, jˈɔl"],
    ["It wasn’t", "ˌɪt wˈʌzᵊnt"],
    ["shouldn't've", "ʃˈʊdᵊntəv"],
    ["rock 'n' roll", "ɹˈɑk ən ɹˈOl"],
  ],
  possessives: [
    ["the boss's dogs' children's", "ðə bˈɔsᵻz dˈɔɡz ʧˈɪldɹᵊnz"],
    ["Iraq's", "ɪɹˈɑks"],
    ["Kubernetes's", "kjˈubəɹnˌitsᵻz"],
  ],
  "endings on known stems": [
    ["Choctaws and Chickasaws", "ʧˈɑktˌɔz ænd ʧˈɪkəsˌɔz"],
    ["walked, wanted, needed, kissed", "wˈɔkt, wˈɑntᵻd, nˈidᵻd, kˈɪst"],
    ["hitting, making, putting", "hˈɪTɪŋ, mˈAkɪŋ, pˈʊTɪŋ"],
  ],
  "words whose sound depends on what follows": [
    ["the end, the start", "ði ˈɛnd, ðə stˈɑɹt"],
    ["the hour, the unicorn, the FBI, the 8th", "ði ˈWəɹ, ðə jˈunəkˌɔɹn, ði ˌɛfbˌiˈI, ði ˈAθ"],
    ["to eat, to go, to", "tʊ ˈit, tə ɡˌO, tu"],
    ["He used to run. He used a knife.", "hˌi jˈust tə ɹˈʌn. hˌi jˈuzd ɐ nˈIf."],
    ["in it, in", "ɪn ɪt, ˈɪn"],
    ["I am here. I am.", "ˌI ɐm hˈɪɹ. ˌI æm."],
  ],
  "words whose sound depends on their part of speech": [
    ["I will read it. I have read it.", "ˌI wɪl ɹˈid ɪt. ˌI hæv ɹˈɛd ɪt."],
    ["They live here. It is live music.", "ðˌA lˈɪv hˈɪɹ. ˌɪt ɪz lˈIv mjˈuzɪk."],
    ["They lead us.", "ðˌA lˈid ˌʌs."],
    ["Record the record.", "ɹəkˈɔɹd ðə ɹˈɛkəɹd."],
    ["We present a present.", "wˌi pɹizˈɛnt ɐ pɹˈɛzᵊnt."],
    ["Use it; it has no use.", "jˈuz ɪt; ɪt hæz nˈO jˈus."],
    ["Close the close door.", "klˈOz ðə klˈOs dˈɔɹ."],
    ["I object to the object.", "ˌI əbʤˈɛkt tə ði ˈɑbʤəkt."],
    [
      "He contracts the flu; the contracts were signed.",
      "hˌi kəntɹˈækts ðə flˈu; ðə kˈɑntɹˌækts wɜɹ sˈInd.",
    ],
  ],
  numbers: [
    ["1,234,567", "wˈʌn mˈɪljᵊn tˈu hˈʌndɹəd θˈɜɹTi fˈɔɹ θˈWzᵊnd fˈIv hˈʌndɹəd sˈɪksti sˈɛvən"],
    ["in 1906, 2005 and 1888", "ɪn nˌIntˈin ˈO sˈɪks, tˈu θˈWzᵊnd fˈIv ænd ˌAtˈin ˈATi ˈAt"],
    ["the 1990s, the '90s, mid-1990s", "ðə nˌIntˈin nˈIndiz, ðə nˈIndiz, mˈɪd nˌIntˈin nˈIndiz"],
    ["1st, 22nd", "fˈɜɹst, twˈɛnti sˈɛkənd"],
    ["3.14, .5", "θɹˈi pYnt wˈʌn fˈɔɹ, pYnt fˈIv"],
    ["version 2.0.1", "vˈɜɹʒən tˈu pYnt zˈɪɹO pYnt wˈʌn"],
    ["007", "zˈɪɹO zˈɪɹO sˈɛvən"],
    ["an A plus, DDR5-6000", "ɐn ˈA plˈʌs, dˌidˌiˈɑɹ fˈIv sˈɪks θˈWzᵊnd"],
    ["x86-64, B2B, 10,5", "ˈɛks ˈATi sˈɪks sˈɪksti fˈɔɹ, bˈi tˈu bˈi, tˈɛn fˈIv"],
  ],
  abbreviations: [
    ["the U.S. and a Ph.D. in the FBI", "ðə jˌuˈɛs ænd ɐ pˌiˌAʧdˈi ɪn ði ˌɛfbˌiˈI"],
    ["NASA and IBM PCs", "nˈæsə ænd ˌIbˌiˈɛm pˌisˈiz"],
    ["at 3:05 p.m.", "æt θɹˈi ˈO fˈIv pˌiˈɛm."],
    ["He works in the U.S.", "hˌi wˈɜɹks ɪn ðə jˌuˈɛs."],
  ],
  "words of several parts": [
    ["a well-known co-author", "ɐ wˌɛlnˈOn kˌOˈɔθəɹ"],
    ["twenty-seven, mother-in-law", "twˈɛntisˌɛvən, mˈʌðəɹənlˌɔ"],
    ["and/or", "ænd ɔɹ"],
  ],
  punctuation: [
    ["Hello there.", "həlˈO ðˈɛɹ."],
    [
      '"Well" (so) [then] {now}: yes – no — maybe... what?!',
      "wˈɛl (sˌO) ðˈɛn nˈW: jˈɛs — nˈO — mˈAbi… wˌʌt?!",
    ],
  ],
  "phonemes given by hand": [
    ["[Kokoro](/kˈOkəɹO/) is [Qwen](/kwˈɛn/).", "kˈOkəɹO ɪz kwˈɛn."],
    ["the [apple](/ˈapl/)'s and [Kokos](/kˈOkOs/)'s", "ði ˈaplz ænd kˈOkOsᵻz"],
    ["a [link](https://example.com) stays", "ɐ lˈɪŋk (ɪɡzˈæmpəl dˈɑt kˈɑm) stˈAz"],
  ],
};

describe.each(Object.entries(cases))("%s", (_, rows) => {
  it.each(rows)("%j", async (text, phonemes) => {
    expect(await frontEnd.phonemes(text)).toBe(phonemes);
  });
});
