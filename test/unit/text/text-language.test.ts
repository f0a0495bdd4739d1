import { expect, it } from "vitest";
import { detectTextLanguage } from "../../../main/text/text-language.ts";

it.each([
  ["en", "The train leaves at nine from platform three."],
  ["en", "Danke!"],
  ["en", "12:30"],
  ["es", "¿Sabes si mañana abre temprano?"],
  ["it", "Domani mattina partiamo presto insieme."],
  ["en", "Greetings from sunny Buenos Aires!"],
  ["en", "Café São Paulo"],
  ["de", "Der Zug fährt um neun Uhr von Gleis drei ab, und wir sind nicht da."],
  ["fr", "Le train part à neuf heures, mais nous ne sommes pas là."],
  ["ja", "電車は九時に三番線から出ます。"],
  ["zh", "火车九点从三号站台出发。"],
  ["ko", "기차는 아홉 시에 출발합니다."],
  ["ru", "Поезд отправляется в девять часов."],
  ["uk", "Потяг відправляється о дев'ятій годині."],
  ["en", "The Greek letter λ is a wavelength."],
])("is %s: %s", (language, text) => {
  expect(detectTextLanguage(text)).toBe(language);
});
