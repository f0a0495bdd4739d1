import { expect, it } from "vitest";
import {
  toBritishAlphabet,
  toKokoroAlphabet,
} from "../../../../../main/engines/tts/kokoro/espeak-alphabet.ts";
import { isPhoneme } from "../../../../../main/text/phoneme-alphabet.ts";

const split = (word: string): string[] => word.split("_");

it("gives diphthongs and affricates their own letters, with their stress and length", () => {
  expect(toKokoroAlphabet(split("tʃ_ˌo_k_ˈaʊ_s_a"), isPhoneme)).toBe("ʧˌokˈWsa");
  expect(toKokoroAlphabet(split("p_ˈi_tsː_a"), isPhoneme)).toBe("pˈiʦːa");
});

it("leaves two sounds two letters", () => {
  expect(toKokoroAlphabet(split("a_t_ʃ_a_ɪ"), isPhoneme)).toBe("atʃaɪ");
});

it("writes a nasal vowel as a vowel and a tilde, and leaves out what the voices do not know", () => {
  expect(toKokoroAlphabet(split("b_ˈɔ̃_õ_ẽː_bʱ_ç"), isPhoneme)).toBe("bˈɔ\u0303o\u0303e\u0303ːbç");
});

it("writes British English as misaki does", () => {
  expect(toBritishAlphabet(split("h_ˈeə"), isPhoneme)).toBe("hˈɛː");
  expect(toBritishAlphabet(split("b_ˈiə"), isPhoneme)).toBe("bˈɪə");
  expect(toBritishAlphabet(split("h_ˈəʊ_l"), isPhoneme)).toBe("hˈQl");
  expect(toBritishAlphabet(split("v_ˈɑ̃"), isPhoneme)).toBe("vˈɑ");
});
