import { describe, expect, it } from "vitest";
import { sizeOfFiles } from "../../../../../main/contract/model-size.ts";
import { isAuxiliary } from "../../../../../main/contract/models.ts";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import { catalog } from "../../../../../main/models/catalog.ts";
import { recommend } from "../../../../../renderer/features/models/recommendation.ts";

const model = (id: string, languages: string[], more: Partial<ListedModel> = {}): ListedModel => ({
  id,
  state: "available",
  kind: "speech-to-text",
  ownedBy: "",
  channel: "local",
  family: "whisper",
  languages,
  sizeBytes: 100,
  ...more,
});
const rated = (rate: number, testSet = "FLEURS") => ({
  errorRates: { fr: { rate, unit: "words" as const, testSet, url: "https://example.com" } },
});
const recommended = (...models: ListedModel[]) => recommend(models, "transcribe", "fr")?.id;

it("recommends the lower published error rate of one test set", () => {
  const models = [
    model("poor", ["fr"], rated(0.18)),
    model("good", ["fr", "de"], rated(0.06)),
    // Of an easier test set, which no other model was tested with.
    model("other-test", ["fr"], rated(0.02, "Audiobooks")),
  ];
  expect(recommended(...models)).toBe("good");
});

it("compares by the test set that most models are tested with in any language", () => {
  const errorRates = {
    ...rated(0.06).errorRates,
    de: { rate: 0.05, unit: "words" as const, testSet: "FLEURS", url: "" },
    es: { rate: 0.04, unit: "words" as const, testSet: "FLEURS", url: "" },
  };
  const sizes = [0.2, 0.1].map((rate, index) =>
    model(`size-${index}`, ["fr"], rated(rate, "Audiobooks")),
  );
  expect(recommended(...sizes, model("other", ["fr"], { errorRates, family: "parakeet" }))).toBe(
    "other",
  );
});

it("takes a model that was tested otherwise for as good as the best smaller one of its family", () => {
  const small = model("small", ["fr"], rated(0.06));
  const large = { sizeBytes: 900 };
  expect(
    recommended(small, model("large", ["fr"], { ...rated(0.19, "Audiobooks"), ...large })),
  ).toBe("large");
  const inGerman = { rate: 0.3, unit: "words" as const, testSet: "FLEURS", url: "" };
  const errorRates = { de: inGerman };
  expect(recommended(small, model("large", ["fr"], { errorRates, ...large }))).toBe("large");
  expect(recommended(small, model("imported", ["fr"], { errorRates: {}, ...large }))).toBe("small");
  expect(
    recommended(small, model("other", ["fr"], { errorRates, ...large, family: "canary" })),
  ).toBe("small");
});

it("prefers an unknown error rate to a high one, and a low one to an unknown", () => {
  expect(recommended(model("bad", ["fr"], rated(0.38)), model("unknown", ["fr", "de"]))).toBe(
    "unknown",
  );
  expect(recommended(model("unknown", ["fr"]), model("good", ["fr", "de"], rated(0.1)))).toBe(
    "good",
  );
});

it("otherwise recommends the model for the fewest languages, then the largest", () => {
  expect(
    recommended(
      model("many", ["fr", "de", "en"], { sizeBytes: 900 }),
      model("small", ["fr"]),
      model("large", ["fr"], { sizeBytes: 200 }),
    ),
  ).toBe("large");
});

it("recommends only what works here, in the language", () => {
  expect(
    recommended(
      model("too-large", ["fr"], { lacks: "memory" }),
      model("no-room", ["fr"], { lacks: "disk" }),
      model("broken", ["fr"], { state: "damaged" }),
      model("slow", ["fr"], { measured: { speed: 0.5, measuredAt: 0 } }),
      model("wrong", ["fr"], {
        measured: { doubt: { message: "It may be broken." }, measuredAt: 0 },
      }),
      model("german", ["de"]),
      model("cloud/whisper", ["fr"], { channel: "Cloud" }),
      model("voice", ["fr"], { kind: "text-to-speech" }),
    ),
  ).toBeUndefined();
});

it("leaves out what would be slower than speech, by a measured model of the same family", () => {
  const base = (speed: number) => model("base", ["fr"], { measured: { speed, measuredAt: 0 } });
  const large = model("large", ["fr"], { sizeBytes: 1000 });
  const other = model("other", ["fr"], { sizeBytes: 900, family: "canary" });
  expect(recommended(base(12), large, other)).toBe("large");
  expect(recommended(base(8), large, other)).toBe("other");
  // The nearest in size tells most.
  const medium = model("medium", ["fr"], {
    sizeBytes: 500,
    measured: { speed: 3, measuredAt: 0 },
  });
  expect(recommended(base(8), medium, large)).toBe("large");
  expect(recommended(base(8), large)).toBe("base");
});

it("recommends the largest voice, and no recognizer that cannot translate", () => {
  const models = [
    model("single", ["fr"], { kind: "text-to-speech", sizeBytes: 60 }),
    model("many", ["fr", "en"], { kind: "text-to-speech", sizeBytes: 300 }),
    model("recognizer", ["fr"], {
      capabilities: {
        wordTimes: true,
        languageDetection: true,
        prompt: false,
        streaming: false,
        translatesTo: ["de"],
      },
    }),
  ];
  expect(recommend(models, "speak", "fr")?.id).toBe("many");
  expect(recommend(models, "translate", "fr")).toBeUndefined();
});

describe("the Kokoro that comes with the app", () => {
  const listed = catalog.flatMap(({ id, kind, family, languages, files, sources }) =>
    isAuxiliary(kind)
      ? []
      : model(
          id,
          languages.map(({ code }) => code),
          {
            kind,
            family,
            sizeBytes: sizeOfFiles(files),
            state: sources.length === 0 ? "ready" : "available",
          },
        ),
  );
  const pulled = model("someone--kokoro", ["en", "es", "fr", "hi", "it", "pt"], {
    kind: "text-to-speech",
    family: "kokoro",
    sizeBytes: 346e6,
    state: "ready",
  });

  it.each(["en", "es", "fr", "hi", "it", "pt"])(
    "is recommended in %s before the same voices by another engine",
    (language) => {
      expect(recommend(listed, "speak", language)?.id).toBe("kokoro");
      expect(recommend([...listed, pulled], "speak", language)?.id).toBe("kokoro");
    },
  );
});
