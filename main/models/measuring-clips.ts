// Clips of speech with their reference text that come with the app, to measure models. Recordings and texts are from
// FLEURS, see licences/shipped-licences.ts. Opus in WebM: every endpoint accepts it, and MP3 as small as this costs one
// model four times the errors of another.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { MeasuringClip } from "../contract/measurements.ts";

export const measuringClips: readonly MeasuringClip[] = [
  {
    id: "english-1",
    language: "en",
    durationSec: 5.76,
    text: "The cabbage juice changes color depending on how acidic or basic (alkaline) the chemical is.",
  },
  {
    id: "english-2",
    language: "en",
    durationSec: 4.32,
    text: "Many people don't think about them as dinosaurs because they have feathers and can fly.",
  },
  {
    id: "german-1",
    language: "de",
    durationSec: 17.94,
    text: "Für die besten Aussichten auf Hongkong sollten Sie die Insel verlassen und zum gegenüberliegenden Ufer von Kowloon fahren.",
  },
  {
    id: "german-2",
    language: "de",
    durationSec: 9.9,
    text: "Die Höhle befindet sich auf der Spitze eines der Berge nördlich von Mekka und ist vom Rest der Welt völlig isoliert.",
  },
  {
    id: "spanish-1",
    language: "es",
    durationSec: 12.84,
    text: "Se recomienda enfáticamente a los viajeros que se informen sobre cualquier riesgo de clima extremo en el área que visitan dado que ello puede afectar sus planes de viaje.",
  },
  {
    id: "spanish-2",
    language: "es",
    durationSec: 9.72,
    text: "Fue tanta la cantidad de gente que se concentró, que no todos pudieron acceder al funeral en la Plaza de San Pedro.",
  },
  {
    id: "french-1",
    language: "fr",
    durationSec: 10.2,
    text: "L'accident a eu lieu en terrain montagneux, et il semblerait que cela ait été causé par un incendie malveillant.",
  },
  {
    id: "french-2",
    language: "fr",
    durationSec: 8.34,
    text: "Le même mois, un autre avion de ligne a fait une sortie de piste à Mashhad et a heurté un mur, tuant ainsi dix-sept personnes.",
  },
  {
    id: "portuguese-1",
    language: "pt",
    durationSec: 10.68,
    text: "O Romantismo tinha um grande elemento de determinismo cultural, extraído de escritores como Goethe, Fichte e Schlegel.",
  },
  {
    id: "portuguese-2",
    language: "pt",
    durationSec: 12.72,
    text: "O scaffolding não é um método de aprendizado, mas sim uma ajuda para alunos que estão passando por uma nova experiência de aprendizado como usar um novo computador ou começar um novo projeto.",
  },
];

export const clipMimeType = "audio/webm";

/** @throws AppError if there is no such clip */
export async function readMeasuringClip(id: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!measuringClips.some((clip) => clip.id === id))
    throw new AppError("model.noClip", { clip: id });
  return Uint8Array.from(await readFile(join(import.meta.dirname, "clips", `${id}.webm`)));
}
